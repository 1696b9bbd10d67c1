// The settings: what each control shows and what it asks for.
import { namesOf } from "./packed.js";

export const element = (id) => document.getElementById(id);

const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 250, 500, 1000];
const BUDGETS = [0.5, 1, 2, 4, 8, null]; // milliseconds
const PRECISIONS = [["f32", "float32"], ["int16", "int16"], ["int8", "int8"]];

function choices(id, options, chosen, choose) {
  const box = element(id);
  box.replaceChildren(...options.map(([value, label]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.dataset.value = value;
    button.setAttribute("aria-pressed", value === chosen);
    button.addEventListener("click", async () => {
      await choose(value);
      for (const each of box.children) each.setAttribute("aria-pressed", each.dataset.value === value);
    });
    return button;
  }));
}

const titled = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");

/** Binds the panel; act: { model, precision, count, budget, footLock, theme }, each of what was chosen. */
export function bindPanel(state, act) {
  choices("model", namesOf("model").map((name) => [name, titled(name)]), state.model, act.model);
  choices("precision", PRECISIONS, state.precision, act.precision);
  const slider = element("count");
  slider.max = COUNTS.length - 1;
  slider.value = COUNTS.findIndex((count) => count >= state.count);
  const show = () => { element("countText").textContent = COUNTS[slider.value].toLocaleString("en"); };
  slider.addEventListener("input", () => {
    show();
    act.count(COUNTS[slider.value]);
  });
  show();
  const budget = element("budget"), showBudget = () => {
    const chosen = BUDGETS[budget.value];
    element("budgetText").textContent = chosen ? `${chosen} ms` : "none";
    return chosen;
  };
  budget.max = BUDGETS.length - 1;
  budget.value = BUDGETS.indexOf(state.budget);
  budget.addEventListener("input", () => act.budget(showBudget()));
  showBudget();
  element("lock").checked = state.footLock;
  element("lock").addEventListener("change", (event) => act.footLock(event.target.checked));
  element("theme").addEventListener("click", () => act.theme());
  const panel = element("panel"), toggle = element("toggle");
  const open = (on) => {
    panel.classList.toggle("open", on);
    toggle.setAttribute("aria-expanded", on);
  };
  toggle.addEventListener("click", () => open(!panel.classList.contains("open")));
  open(innerWidth > 760);
}

/** Opens the recorded crowd in place of this one; hidden where the page has none. */
export function bindReplay(page, open) {
  const button = element("replay");
  button.hidden = !namesOf("page").includes("replay");
  button.addEventListener("click", async () => {
    const frame = document.createElement("iframe");
    frame.title = "The recorded crowd";
    frame.srcdoc = await page();
    element("recorded").replaceChildren(frame);
    element("recorded").hidden = element("back").hidden = false;
    open(true);
  });
  element("back").addEventListener("click", () => {
    element("recorded").replaceChildren();
    element("recorded").hidden = element("back").hidden = true;
    open(false);
    element("view").focus();
  });
}
