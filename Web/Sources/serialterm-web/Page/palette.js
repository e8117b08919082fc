// The commands of the session: a list with a search, and forms for their arguments. What there is, what is off and why,
// and what a command takes: all of it is what the session publishes.

import { openDrawer } from "./drawers.js";
import { get, make, onPress, sentence, setChoices, setOff } from "./elements.js";

/** Commands with a place of their own on the page, which the list of commands does not repeat. */
const ELSEWHERE = new Set(["send", "give-pen", "keep-pen"]);
/** Commands whose place on the page is a drawer: the drawer, and the element to begin with. */
const DRAWER_OF = { name: ["people", "name"], "send-file": ["files", "file"], plot: ["plot"] };

/** The session: `commands` by name, `isJoined`, `offReason` of a command, `command` to give one, `type` to send keys. */
let session = null;
/** Whether the list was opened while the terminal had the focus. */
let isFromTerminal = false;
/** The entries of the list by the names of their commands. */
const rows = new Map();

/** Shows the commands that match the search. */
export function showCommands() {
  const words = get("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  const commands = session.commands();
  for (const each of commands.values()) {
    const old = rows.get(each.name);
    if (!each.users?.includes("page") || ELSEWHERE.has(each.name)) {
      old?.item.remove();
      rows.delete(each.name);
      continue;
    }
    const row = old ?? addCommand(each.name);
    row.title.textContent = each.title ?? each.name;
    row.value.textContent = each.value ?? "";
    setOff(row.button, session.offReason(each.name), row.reason);
    // What was typed in a form stays there.
    if (row.form) setOff(row.submit, session.offReason(each.name));
    const text = [each.name, each.title ?? "", each.value ?? "", ...(each.synonyms ?? [])].join(" ").toLowerCase();
    row.item.hidden = !words.every((word) => text.includes(word));
    if (!row.item.hidden) shown += 1;
    if (row.item.hidden) row.form?.remove();
  }
  get("palette-text").textContent = !session.isJoined() ? "No session is joined." : commands.size && !shown ? "No command matches." : "";
}

/** Forgets the commands of a session that was left. */
export function forgetCommands() {
  // Otherwise the focus would be behind the dialog.
  if (get("commands").contains(document.activeElement)) get("filter").focus();
  get("commands").replaceChildren();
  rows.clear();
}

function openPalette() {
  isFromTerminal = ["keys", "screen"].includes(document.activeElement?.id);
  get("filter").value = "";
  showCommands();
  get("palette").showModal();
  get("commands").scrollTop = 0;
  get("filter").focus();
}

/** Moves from the search to the entries, and among them. */
function moveInPalette(event) {
  if (event.isComposing) return;
  if (event.key === "Escape") {
    // In the search, it would only empty that.
    event.preventDefault();
    get("palette").close();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const places = [get("filter"), ...get("commands").querySelectorAll("li:not([hidden]) > button")];
  const place = places.indexOf(document.activeElement);
  if (place < 0) return;
  if (step) places[Math.max(0, Math.min(place + step, places.length - 1))].focus();
  else if (event.key === "Enter" && place === 0) places[1]?.click();
  else return;
  event.preventDefault();
}

export function startPalette(there) {
  session = there;
  const palette = get("palette");
  get("commands-button").addEventListener("click", openPalette);
  get("palette-close").addEventListener("click", () => palette.close());
  // A press beside the dialog is one at its backdrop.
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  palette.addEventListener("keydown", moveInPalette);
  get("filter").addEventListener("input", showCommands);
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat || event.isComposing) return;
    if (!palette.open) { openPalette(); return; }
    palette.close();
    if (event.ctrlKey && isFromTerminal) session.type("\x0b");
  }, { capture: true });
}

function addCommand(name) {
  const row = {
    title: make("span", { className: "title" }), value: make("span", { className: "value" }),
    reason: make("span", { className: "reason" }), form: null,
  };
  row.button = make("button", { type: "button" }, row.title, row.value,
    make("span", { className: "more" }, make("span", { className: "command", textContent: name }), " ", row.reason));
  row.button.dataset.name = name;
  row.item = make("li", {}, row.button);
  onPress(row.button, () => choose(name, row), (text) => { get("palette-text").textContent = text; });
  rows.set(name, row);
  get("commands").append(row.item);
  return row;
}

/** Runs a command, or opens what asks for its arguments. */
function choose(name, row) {
  if (row.form?.isConnected) { row.form.remove(); return; }
  if (DRAWER_OF[name]) {
    get("palette").close();
    openDrawer(...DRAWER_OF[name]);
    return;
  }
  const { title = name, arguments: known = [] } = session.commands().get(name);
  if (!known.length) { run({ command: name }); return; }
  const fields = known.map((argument) => ({ argument, field: fieldFor(argument, `argument-${name}-${argument.name}`.replace(/[^\w-]/g, "-")) }));
  row.submit = make("button", { type: "submit", textContent: "Run" });
  row.form = make("form", { className: "argument" },
    ...fields.flatMap(({ argument, field }) => labelled(known.length > 1 ? argument.name : title, argument, field)),
    row.submit, make("button", { type: "button", textContent: "Cancel" }));
  const close = () => { row.form.remove(); row.button.focus(); };
  row.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = session.offReason(name);
    if (reason) { get("palette-text").textContent = sentence("Not available", reason); return; }
    const given = fields.map(({ argument, field }) => [argument, field.type === "checkbox" ? field.checked : field.value.trim()])
      .filter(([argument, value]) => value || !argument.optional).map(([argument, value]) => [argument.name, value]);
    row.form.remove();
    run({ command: name, ...Object.fromEntries(given) });
  });
  row.form.lastChild.addEventListener("click", close);
  row.form.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && event.target.localName === "select") row.form.requestSubmit();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  row.item.append(row.form);
  fields[0].field.focus();
  fields[0].field.select?.();
}

/** Gives a command, and makes room for its answer. */
function run(message) {
  get("palette").close();
  session.command(message);
}

/** A field for an argument: a list for a few values, else free entry. */
function fieldFor({ kind, value = "", choices, titles }, id) {
  if (kind === "choice") {
    const field = make("select", { id });
    setChoices(field, choices, titles);
    if (choices.includes(value)) field.value = value;
    return field;
  }
  if (kind === "flag") return make("input", { id, type: "checkbox" });
  return make("input", { id, value, autocomplete: "off", spellcheck: false, inputMode: kind === "number" ? "numeric" : "text" });
}

/** A field with its label, its unit and its usual values. */
function labelled(title, { kind, expected, unit, choices }, field) {
  const isChoice = kind === "choice";
  const parts = [make("label", { htmlFor: field.id, textContent: isChoice ? title : `${title}: ${expected}` }), field];
  if (unit) parts.push(make("span", { className: "unit", textContent: unit }));
  if (choices && !isChoice) {
    const list = make("datalist", { id: `${field.id}-usual` }, ...choices.map((each) => make("option", { value: each })));
    field.setAttribute("list", list.id);
    parts.push(list);
  }
  return parts;
}
