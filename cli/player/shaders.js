// Three programs: tapered capsules (limbs), the ground, and flat marks on the ground. All share the light:
// a sun with a shadow map, a sky that is brighter above than below, and fog into the sky's colour.

const LIGHT = `
uniform vec3 sunDirection, sunColour, skyColour, bounceColour, fogColour, eye;
uniform mat4 shadowMatrix;
uniform highp sampler2DShadow shadowMap;
uniform float fogStart, fogEnd;

float sunlit(vec3 p, vec3 n) {
  vec4 h = shadowMatrix * vec4(p + n * 0.015, 1.0);
  vec3 s = h.xyz * 0.5 + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float lit = 0.0, texel = 1.0 / 2048.0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      lit += texture(shadowMap, vec3(s.xy + vec2(i, j) * texel * 1.2, s.z - 0.0012));
  return lit / 9.0;
}
vec3 fogged(vec3 colour, float distance) {
  return mix(colour, fogColour, smoothstep(fogStart, fogEnd, distance));
}
vec3 shown(vec3 linear) {
  linear = linear * (1.0 + linear * 0.12) / (1.0 + linear * 0.35);
  return pow(linear, vec3(1.0 / 2.2));
}
`;

const LIMB_VERTEX = `#version 300 es
layout(location = 0) in vec4 corner;   // latitude 0..1, end 0 or 1, cosine and sine around
layout(location = 1) in vec4 first;    // centre and radius of one end
layout(location = 2) in vec4 second;   // and of the other
layout(location = 3) in vec4 tint;     // colour, gloss
uniform mat4 view;
out vec3 place, normalOut;
out vec4 tintOut;
const float HALF = 1.57079632679;
void main() {
  vec3 d = second.xyz - first.xyz;
  float l = length(d);
  vec3 axis = l > 1e-5 ? d / l : vec3(0.0, 1.0, 0.0);
  float tangent = asin(clamp((first.w - second.w) / max(l, 1e-5), -0.98, 0.98));
  float latitude = corner.y < 0.5 ? mix(-HALF, tangent, corner.x) : mix(tangent, HALF, corner.x);
  vec3 u = normalize(cross(axis, abs(axis.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 n = axis * sin(latitude) + cos(latitude) * (u * corner.z + cross(axis, u) * corner.w);
  place = corner.y < 0.5 ? first.xyz + n * first.w : second.xyz + n * second.w;
  normalOut = n;
  tintOut = tint;
  gl_Position = view * vec4(place, 1.0);
}`;

const LIMB_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, normalOut;
in vec4 tintOut;
out vec4 colour;
${LIGHT}
void main() {
  vec3 n = normalize(normalOut), v = normalize(eye - place), h = normalize(v + sunDirection);
  float facing = dot(n, sunDirection);
  float sun = clamp(facing * 0.85 + 0.15, 0.0, 1.0) * (facing > -0.1 ? sunlit(place, n) : 0.0);
  vec3 around = mix(bounceColour, skyColour, n.y * 0.5 + 0.5);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  float gloss = pow(max(dot(n, h), 0.0), 40.0) * 0.22 * sun * tintOut.w;
  vec3 c = tintOut.rgb * (around + sunColour * sun) + skyColour * rim * 0.35 + sunColour * gloss;
  colour = vec4(shown(fogged(c, distance(eye, place))), 1.0);
}`;

const SHADOW_FRAGMENT = `#version 300 es
precision mediump float;
void main() {}`;

const GROUND_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normalIn;
layout(location = 2) in float edge;    // 0 inside, 1 at the border
uniform mat4 view;
out vec3 place, normalOut;
out float edgeOut;
void main() {
  place = position;
  normalOut = normalIn;
  edgeOut = edge;
  gl_Position = view * vec4(position, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, normalOut;
in float edgeOut;
out vec4 colour;
${LIGHT}
uniform vec3 groundColour, lineColour;
uniform vec4 feet[64];                 // dark spots of near things: centre and radius
uniform int feetCount;
float lines(vec2 p, float step, float width) {
  vec2 q = p / step, w = fwidth(q);
  vec2 away = abs(fract(q - 0.5) - 0.5);
  vec2 line = 1.0 - smoothstep(w * 0.5, w * 1.5, away - width / step * 0.5);
  return max(line.x, line.y) * clamp(1.0 - max(w.x, w.y) * 3.0, 0.0, 1.0);
}
void main() {
  vec3 n = normalize(normalOut);
  float lit = max(dot(n, sunDirection), 0.0);
  float sun = lit * sunlit(place, n);
  float open = 1.0;
  for (int i = 0; i < feetCount; i++) {
    vec3 d = (place - feet[i].xyz) / feet[i].w;
    open *= 1.0 - 0.42 * exp(-dot(d, d));
  }
  vec2 cells = floor(place.xz);
  float check = mod(cells.x + cells.y, 2.0);
  vec2 w = fwidth(place.xz);
  float near = clamp(1.0 - max(w.x, w.y) * 2.0, 0.0, 1.0);
  vec3 base = groundColour * (1.0 + 0.05 * (check - 0.5) * near + 0.10 * clamp(place.y, -1.5, 1.5));
  base = mix(base, lineColour, lines(place.xz, 1.0, 0.010) * 0.22 + lines(place.xz, 5.0, 0.020) * 0.38);
  vec3 c = base * (mix(bounceColour, skyColour, n.y * 0.5 + 0.5) * open + sunColour * sun * mix(open, 1.0, 0.6));
  c = fogged(c, distance(eye, place));
  colour = vec4(shown(mix(c, fogColour, smoothstep(0.0, 1.0, edgeOut))), 1.0);
}`;

const MARK_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 2) in vec2 across;   // -1..1 over the mark; beyond a disc's rim length > 1
uniform mat4 view;
out vec4 tintOut;
out vec2 acrossOut;
void main() {
  tintOut = tint;
  acrossOut = across;
  gl_Position = view * vec4(position, 1.0);
  gl_Position.z -= 0.0006 * gl_Position.w;
}`;

const MARK_FRAGMENT = `#version 300 es
precision highp float;
in vec4 tintOut;
in vec2 acrossOut;
out vec4 colour;
void main() {
  float r = length(acrossOut), w = fwidth(r);
  colour = vec4(pow(tintOut.rgb, vec3(1.0 / 2.2)), tintOut.a * (1.0 - smoothstep(1.0 - 1.5 * w, 1.0, r)));
}`;

const SKY_VERTEX = `#version 300 es
out vec2 at;
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  gl_Position = vec4(at, 0.9999, 1.0);
}`;

const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
out vec4 colour;
uniform vec3 fogColour, zenithColour;
uniform float horizon;
float noise(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
void main() {
  vec3 c = mix(fogColour, zenithColour, smoothstep(0.0, 1.4, at.y - horizon));
  c = c * (1.0 + c * 0.12) / (1.0 + c * 0.35);
  colour = vec4(pow(c, vec3(1.0 / 2.2)) + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}`;
