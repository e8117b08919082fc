// The elements of the page: how they are made, found, switched off and kept up to date.

export const get = (id) => document.getElementById(id);
export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
export const number = (value) => Number(value).toLocaleString("en");
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Values that this browser keeps; a browser may refuse to. */
export const kept = (storage, key, value) => {
  try {
    if (value === undefined) return storage.getItem(`serialterm.${key}`) ?? "";
    storage.setItem(`serialterm.${key}`, value);
  } catch { /* Then they last as long as the page. */ }
  return "";
};

/** Shows a message, which screen readers say when they are idle. */
export function say(text, isFailure = false) {
  get("status").textContent = text;
  get("status").classList.toggle("failure", isFailure);
}

/** Marks a button as off. It can still be reached, and says why when it is pressed. */
export function setOff(button, reason, place) {
  if (reason) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
  if (place && place.textContent !== reason) place.textContent = reason;
  button.dataset.reason = reason;
}

/** Performs an action when the button is pressed, or says why it is off. */
export function onPress(button, action, tell = (text) => say(text, true)) {
  button.addEventListener("click", () => {
    if (button.dataset.reason) tell(sentence("Not available", button.dataset.reason));
    else action();
  });
}

/** Shows texts of a list of choices, if they are others than before. Returns whether they are. */
export function setChoices(select, choices, titles = choices) {
  const wording = JSON.stringify([choices, titles]);
  if (select.dataset.choices === wording) return false;
  select.dataset.choices = wording;
  select.replaceChildren(...choices.map((each, index) => make("option", { textContent: titles[index], value: each })));
  return true;
}

/** A choice that this browser keeps; `standard` before there is one. */
export function keepChoice(id, standard, changed = () => {}) {
  const box = get(id);
  const was = kept(localStorage, id);
  box.checked = was ? was === "on" : standard;
  box.addEventListener("change", () => {
    kept(localStorage, id, box.checked ? "on" : "off");
    changed();
  });
  changed();
}

/** A reason stands behind a colon, as it is: it may begin with a name. */
export const sentence = (what, reason) => `${what}: ${reason}${/[.!?…]$/.test(reason) ? "" : "."}`;

/** Shows entries with a button each. Entries and buttons that stay are the same elements, so that they keep the focus. */
export function update(list, entries) {
  const old = new Map([...list.children].map((item) => [item.dataset.key, item]));
  const items = entries.map((entry) => {
    let item = old.get(String(entry.key));
    if (!item) {
      item = make("li", {}, make("span", { className: "text" }), make("span", { className: "detail" }),
        make("button", { type: "button" }));
      item.dataset.key = entry.key;
      onPress(item.lastChild, () => item.run());
    }
    item.run = entry.run;
    item.classList.toggle("current", entry.isCurrent ?? false);
    if (entry.isCurrent) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current");
    const [text, detail, button] = item.children;
    if (text.textContent !== entry.text) text.textContent = entry.text;
    if (detail.textContent !== entry.detail) detail.textContent = entry.detail;
    button.hidden = !entry.action;
    button.textContent = entry.action ?? "";
    if (entry.label) button.setAttribute("aria-label", entry.label);
    setOff(button, entry.reason ?? "");
    return item;
  });
  for (const item of old.values()) if (!items.includes(item)) item.remove();
  items.forEach((item, index) => { if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null); });
}

/** Saves bytes as a file of the browser's computer. */
export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A text with a capital letter, for buttons. */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);
