// Draws one moment with WebGL 2: shadow map, sky, ground, limbs, marks. Knows nothing of time or of the page.

const SHADOW_SIZE = 2048;
const LIMB_FLOATS = 12; // first xyz radius, second xyz radius, colour rgb, gloss
const MARK_FLOATS = 9;  // position xyz, colour rgba, across xy

class Scene {
  // Throws where WebGL 2 is missing.
  constructor(canvas, recording) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("WebGL 2 is not available");
    this.gl = gl;
    this.canvas = canvas;
    this.limbProgram = this.program(LIMB_VERTEX, LIMB_FRAGMENT);
    this.shadowProgram = this.program(LIMB_VERTEX, SHADOW_FRAGMENT);
    this.groundProgram = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.markProgram = this.program(MARK_VERTEX, MARK_FRAGMENT);
    this.skyProgram = this.program(SKY_VERTEX, SKY_FRAGMENT);
    this.makeLimbs();
    this.makeGround(recording);
    this.makeMarks();
    this.makeShadow();
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram(), uniforms = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(made, i);
      uniforms[name.replace("[0]", "")] = gl.getUniformLocation(made, name);
    }
    return { made, uniforms };
  }

  attribute(index, size, stride, offset, divisor = 0) {
    const gl = this.gl;
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, size, gl.FLOAT, false, 4 * stride, 4 * offset);
    gl.vertexAttribDivisor(index, divisor);
  }

  // One capsule's surface: rows of latitude from pole to pole, two halves, drawn once per limb.
  makeLimbs() {
    const gl = this.gl, around = 24, rows = [], corners = [], indices = [];
    for (const end of [0, 1]) for (let i = 0; i <= 6; i++) rows.push([i / 6, end]);
    for (const [t, end] of rows) {
      for (let j = 0; j <= around; j++) corners.push(t, end, Math.cos(TURN * j / around), Math.sin(TURN * j / around));
    }
    for (let i = 0; i + 1 < rows.length; i++) {
      for (let j = 0; j < around; j++) {
        const a = i * (around + 1) + j, b = a + around + 1;
        indices.push(a, b, a + 1, a + 1, b, b + 1);
      }
    }
    this.limbIndices = indices.length;
    this.limbArray = gl.createVertexArray();
    gl.bindVertexArray(this.limbArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW);
    this.attribute(0, 4, 4, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
    this.limbBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.limbBuffer);
    for (const i of [0, 1, 2]) this.attribute(1 + i, 4, LIMB_FLOATS, 4 * i, 1);
    gl.bindVertexArray(null);
  }

  makeGround(recording) {
    const gl = this.gl, g = recording.ground, vertices = [], indices = [];
    const middle = [g.x + (g.columns - 1) * g.cell / 2, g.z + (g.rows - 1) * g.cell / 2];
    const reach = Math.min(g.columns, g.rows) * g.cell / 2;
    for (let r = 0; r < g.rows; r++) {
      for (let c = 0; c < g.columns; c++) {
        const x = g.x + c * g.cell, z = g.z + r * g.cell;
        const edge = clamp((Math.hypot(x - middle[0], z - middle[1]) / reach - 0.7) / 0.28, 0, 1);
        vertices.push(x, recording.height(x, z), z, ...recording.slope(x, z), edge);
      }
    }
    for (let r = 0; r + 1 < g.rows; r++) {
      for (let c = 0; c + 1 < g.columns; c++) {
        const a = r * g.columns + c, b = a + g.columns;
        indices.push(a, b, a + 1, a + 1, b, b + 1);
      }
    }
    this.groundIndices = indices.length;
    this.groundReach = reach;
    this.groundArray = gl.createVertexArray();
    gl.bindVertexArray(this.groundArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.STATIC_DRAW);
    this.attribute(0, 3, 7, 0);
    this.attribute(1, 3, 7, 3);
    this.attribute(2, 1, 7, 6);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  makeMarks() {
    const gl = this.gl;
    this.markArray = gl.createVertexArray();
    gl.bindVertexArray(this.markArray);
    this.markBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.markBuffer);
    this.attribute(0, 3, MARK_FLOATS, 0);
    this.attribute(1, 4, MARK_FLOATS, 3);
    this.attribute(2, 2, MARK_FLOATS, 7);
    gl.bindVertexArray(null);
  }

  makeShadow() {
    const gl = this.gl;
    this.shadowTexture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    for (const [name, value] of [[gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE],
      [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL], [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowTexture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawLimbs(count) {
    const gl = this.gl;
    gl.bindVertexArray(this.limbArray);
    gl.drawElementsInstanced(gl.TRIANGLES, this.limbIndices, gl.UNSIGNED_SHORT, 0, count);
  }

  light(uniforms, moment, theme) {
    const gl = this.gl, set = (name, value) => uniforms[name] && gl.uniform3fv(uniforms[name], value);
    set("sunDirection", moment.sun);
    set("eye", moment.eye);
    for (const name of ["sunColour", "skyColour", "bounceColour", "fogColour", "groundColour", "lineColour"]) {
      set(name, theme[name]);
    }
    gl.uniformMatrix4fv(uniforms.shadowMatrix, false, moment.shadow);
    gl.uniformMatrix4fv(uniforms.view, false, moment.view);
    gl.uniform1i(uniforms.shadowMap, 0);
    gl.uniform1f(uniforms.fogStart, moment.distance + this.groundReach * 0.55);
    gl.uniform1f(uniforms.fogEnd, moment.distance + this.groundReach * 1.25);
  }

  drawShadow(moment) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadowProgram.made);
    gl.uniformMatrix4fv(this.shadowProgram.uniforms.view, false, moment.shadow);
    this.drawLimbs(moment.limbCount);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawSky(moment, theme) {
    const gl = this.gl, { made, uniforms } = this.skyProgram;
    gl.useProgram(made);
    gl.depthMask(false);
    gl.uniform3fv(uniforms.fogColour, theme.fogColour);
    gl.uniform3fv(uniforms.zenithColour, theme.zenithColour);
    gl.uniform1f(uniforms.horizon, moment.horizon);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
  }

  drawGround(moment, theme) {
    const gl = this.gl, { made, uniforms } = this.groundProgram;
    gl.useProgram(made);
    this.light(uniforms, moment, theme);
    gl.uniform4fv(uniforms.feet, moment.feet.slice(0, 256));
    gl.uniform1i(uniforms.feetCount, Math.min(moment.feet.length / 4, 64));
    gl.bindVertexArray(this.groundArray);
    gl.drawElements(gl.TRIANGLES, this.groundIndices, gl.UNSIGNED_INT, 0);
  }

  drawMarks(moment) {
    const gl = this.gl;
    if (moment.marks.length === 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.markBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(moment.marks), gl.STREAM_DRAW);
    gl.useProgram(this.markProgram.made);
    gl.uniformMatrix4fv(this.markProgram.uniforms.view, false, moment.view);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.bindVertexArray(this.markArray);
    gl.drawArrays(gl.TRIANGLES, 0, moment.marks.length / MARK_FLOATS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // moment: view and shadow matrices, eye, sun, horizon, distance, limbs (LIMB_FLOATS each) with limbCount,
  // marks (triangles of MARK_FLOATS), feet (xyz radius each).
  draw(moment, theme) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.limbBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, moment.limbs, gl.STREAM_DRAW);
    gl.enable(gl.DEPTH_TEST);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, null);
    this.drawShadow(moment);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindVertexArray(null);
    this.drawSky(moment, theme);
    this.drawGround(moment, theme);
    gl.useProgram(this.limbProgram.made);
    this.light(this.limbProgram.uniforms, moment, theme);
    this.drawLimbs(moment.limbCount);
    this.drawMarks(moment);
  }
}
