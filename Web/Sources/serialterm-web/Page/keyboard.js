// Keys for the device: typed in the terminal, sent as a line, or pressed as buttons.

import { get, keepChoice, make, say, sentence } from "./elements.js";

/** Sends a text to the device. */
let type = null;
/** Why keys are not sent now; empty if they are. */
let whyNoKeys = null;
/** The screen of the device. */
let screen = null;
/** Whether Escape was the last key: then Tab leaves the terminal. */
let isEscaped = false;

/** What the keys without a character send. */
const KEYS = {
  Enter: "\r", Backspace: "\x7f", Escape: "\x1b", Tab: "\t", ArrowUp: "\x1b[A", ArrowDown: "\x1b[B",
  ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D", Home: "\x1b[H", End: "\x1b[F", Insert: "\x1b[2~", Delete: "\x1b[3~",
  PageUp: "\x1b[5~", PageDown: "\x1b[6~", F1: "\x1bOP", F2: "\x1bOQ", F3: "\x1bOR", F4: "\x1bOS", F5: "\x1b[15~",
  F6: "\x1b[17~", F7: "\x1b[18~", F8: "\x1b[19~", F9: "\x1b[20~", F10: "\x1b[21~", F11: "\x1b[23~", F12: "\x1b[24~",
};
/** Keys that the browser or its user needs: find, reload, the next part of the window, the whole screen, tools. */
const BROWSER_KEYS = new Set(["F3", "F5", "F6", "F7", "F11", "F12"]);

/** What a key sends now: a device may want the keys of the cursor as `ESC O` and a letter. */
const sequenceOf = (key) =>
  screen.sendsApplicationKeys ? KEYS[key].replace(/^\x1b\[(?=[A-DFH]$)/, "\x1bO") : KEYS[key];

/** What a key sends; null if it is the browser's, or if its text comes by the event `input`. */
function textOf(event) {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (metaKey || event.isComposing || (ctrlKey && altKey) || BROWSER_KEYS.has(key)) return null;
  if (key === "Tab" && (shiftKey || ctrlKey || isEscaped || !get("tabs").checked || whyNoKeys())) return null;
  if (KEYS[key] && !ctrlKey) {
    return shiftKey && ["Insert", "PageUp", "PageDown"].includes(key) ? null : (altKey ? "\x1b" : "") + sequenceOf(key);
  }
  if (ctrlKey && !shiftKey && key.length === 1) {
    // ctrl-v pastes.
    if (/^[a-z@[\\\]^_]$/.test(key) && key !== "v") return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31);
    if (key === " ") return "\0";
  }
  if (altKey && key.length === 1 && /^[ -~]$/.test(key) && !/Mac/.test(navigator.platform)) return `\x1b${key}`;
  return null;
}

/** Sends keys that are no part of the text in the field: after them, the line of the device is another one. */
export function sendKeys(text) {
  forgetTyped();
  type(text);
}

function keyPressed(event) {
  if (event.shiftKey && /^Page(Up|Down)$/.test(event.key)) {
    get("screen").scrollBy(0, (event.key === "PageUp" ? -0.9 : 0.9) * get("screen").clientHeight);
    event.preventDefault();
    return;
  }
  const text = textOf(event);
  if (!["Shift", "Tab"].includes(event.key)) isEscaped = event.key === "Escape";
  if (text === null) return;
  event.preventDefault();
  sendKeys(text);
}

/** Begins to take keys. `send` sends a text, `why` says why none is sent now; `shown` is the screen. */
export function startKeyboard(send, why, shown) {
  [type, whyNoKeys, screen] = [send, why, shown];
  startTerminal();
  startLine();
  startKeybar();
}

function startTerminal() {
  const [keys, view] = [get("keys"), get("screen")];
  keys.addEventListener("keydown", keyPressed);
  keys.addEventListener("blur", () => { isEscaped = false; });
  const take = () => { sendKeys(keys.value.replace(/\r?\n/g, "\r")); keys.value = ""; };
  keys.addEventListener("input", (event) => { if (!event.isComposing) take(); });
  keys.addEventListener("compositionstart", () => {
    const [place, frame] = [screen.cursorNode?.getBoundingClientRect(), view.getBoundingClientRect()];
    if (place) Object.assign(keys.style, { left: `${place.left - frame.left}px`, top: `${place.top - frame.top}px` });
    keys.classList.add("composing");
  });
  keys.addEventListener("compositionend", () => { keys.classList.remove("composing"); take(); });
  const paste = (event) => {
    event.preventDefault();
    sendKeys(event.clipboardData.getData("text/plain").replace(/\r?\n/g, "\r"));
  };
  keys.addEventListener("paste", paste);
  view.addEventListener("paste", paste);
  view.addEventListener("click", () => { if (document.getSelection().isCollapsed) keys.focus({ preventScroll: true }); });
  // Keys at the text are for the device. Those that scroll stay.
  view.addEventListener("keydown", (event) => {
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isText && event.key !== "Enter" && event.key !== "Backspace") return;
    keys.focus({ preventScroll: true });
    keyPressed(event);
  });
}

// A line for the device, and buttons for keys

/** What the device has of the text in the field, if it gets the text as it is typed. */
let typed = "";

function emptyField() {
  get("text").value = typed = "";
}

/** Forgets what the device has of the field: its line is another one now, or another device's. */
export function forgetTyped() {
  if (typed) emptyField();
}

/** Sends what has changed in the field: some characters back, and then the new ones. A keyboard of a phone may change
 * words that it has completed. */
function sendChange() {
  const why = whyNoKeys();
  if (why) {
    get("text").value = typed;
    say(sentence("Not sent", why), true);
    return;
  }
  const [before, now] = [[...typed], [...get("text").value]];
  const same = before.findIndex((character, index) => character !== now[index]);
  const kept = same < 0 ? before.length : same;
  if (type("\x7f".repeat(before.length - kept) + now.slice(kept).join(""))) typed = now.join("");
  else get("text").value = typed;
}

function startLine() {
  const field = get("text");
  const isTyping = () => get("typing").checked;
  get("line").addEventListener("submit", (event) => {
    event.preventDefault();
    const why = whyNoKeys();
    if (why) { say(sentence("Not sent", why), true); return; }
    type(isTyping() ? "\r" : field.value + (get("enter").checked ? "\r" : ""));
    emptyField();
  });
  field.addEventListener("input", () => { if (isTyping()) sendChange(); });
  field.addEventListener("beforeinput", (event) => {
    if (isTyping() && !field.value && event.inputType === "deleteContentBackward") type("\x7f");
  });
  // A field has one line.
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    if (isTyping()) sendKeys(text.replace(/\r?\n/g, "\r"));
    else say("Not pasted: the text has several lines. Paste it in the terminal.", true);
  });
  // Buttons for keys, and a line that is sent as it is typed, are for users without a keyboard.
  const hasKeyboard = !matchMedia("(pointer: coarse)").matches;
  keepChoice("typing", !hasKeyboard, () => {
    emptyField();
    field.placeholder = isTyping() ? "Sent as you type" : "A line for the device";
  });
  keepChoice("enter", true);
  keepChoice("bar", !hasKeyboard || matchMedia("(max-width: 52rem)").matches, () => {
    get("keybar").hidden = !get("bar").checked;
  });
}

/** The keys with a button of their own, and the text on it. */
const BUTTONS = {
  Escape: "Esc", Tab: "Tab", "Ctrl-C": "^C", "Ctrl-D": "^D", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", ArrowRight: "→", Enter: "⏎",
};

function startKeybar() {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `Ctrl-${letter}`);
  const textOfName = (name) => KEYS[name] ? sequenceOf(name) : String.fromCharCode(name.charCodeAt(name.length - 1) & 31);
  const titled = (name) => name.replace("Arrow", "Arrow ");
  const press = (name) => {
    const why = whyNoKeys();
    if (why) { say(sentence("Not sent", why), true); return; }
    sendKeys(textOfName(name));
  };
  const button = (text, label, pressed) => {
    const made = make("button", { type: "button", textContent: text, ariaLabel: label });
    // The field keeps the focus, and with it a phone its keyboard.
    made.addEventListener("pointerdown", (event) => event.preventDefault());
    made.addEventListener("click", pressed);
    return made;
  };
  const others = make("select", { id: "special", ariaLabel: "Another key" }, ...[...Object.keys(KEYS), ...letters].filter((name) => !BUTTONS[name]).map(
    (name) => make("option", { textContent: titled(name), value: name })));
  const send = button("Press", "Press the other key", () => press(others.value));
  send.id = "press";
  const row = make("span", { id: "more-keys", className: "more-keys", hidden: true }, others, send);
  const more = button("⋯", "Other keys", () => {
    row.hidden = !row.hidden;
    more.setAttribute("aria-expanded", !row.hidden);
  });
  more.id = "more";
  more.setAttribute("aria-expanded", false);
  more.setAttribute("aria-controls", row.id);
  get("keybar").append(...Object.entries(BUTTONS).map(([name, text]) => button(text, titled(name), () => press(name))), more, row);
}
