// The drawers of the page: one is open at the side, and the plot below the terminal. The button of a drawer is the one
// that names it in `data-drawer`; its title is the drawer's label.

import { get, make } from "./elements.js";

export const drawers = new Map([...document.querySelectorAll("[data-drawer]")].map((button) => [button.dataset.drawer, button]));
export const isOpen = (name) => !get(name).hidden;

export function showDrawer(name, isShown) {
  if (isOpen(name) === isShown) return;
  if (isShown && name !== "plot") for (const other of drawers.keys()) if (other !== "plot") showDrawer(other, false);
  get(name).hidden = !isShown;
  drawers.get(name).setAttribute("aria-expanded", isShown);
  get(name).dispatchEvent(new Event("toggle"));
}

/** Opens a drawer, and goes to one of its elements. */
export function openDrawer(name, id) {
  showDrawer(name, true);
  (id ? get(id) : get(name).querySelector("button")).focus();
}

export function closeDrawer(name) {
  const hadFocus = get(name).contains(document.activeElement);
  showDrawer(name, false);
  if (hadFocus) drawers.get(name).focus();
}

export function startDrawers() {
  for (const [name, button] of drawers) {
    const drawer = get(name);
    button.setAttribute("aria-controls", name);
    button.setAttribute("aria-expanded", false);
    button.addEventListener("click", () => { if (isOpen(name)) closeDrawer(name); else openDrawer(name); });
    const close = make("button", { type: "button", className: "close", textContent: "Close" });
    close.addEventListener("click", () => closeDrawer(name));
    drawer.prepend(make("div", { className: "head" }, make("h2", { textContent: drawer.getAttribute("aria-label") }), close));
    drawer.addEventListener("keydown", (event) => { if (event.key === "Escape") closeDrawer(name); });
  }
}
