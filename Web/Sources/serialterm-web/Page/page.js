// The page of a session: one WebSocket to serialterm-web, what it says about the session, and the user's commands.
// Everything that comes from elsewhere is shown with textContent.

import { Screen, selectedText } from "./screen.js";

const LONGEST_SEND = 2000;          // The server takes messages of 16 KiB; each character may need six bytes of JSON.
const LONGEST_PASTE = 1 << 20;
const MOST_KEPT = 16 << 20;         // What the page keeps for "Save as text", in characters.
const PIECE = 32 << 10;
const LARGEST_FILE = 64 << 20;
const BACK_OFF = [500, 1000, 2000, 4000, 5000];

/** The commands about the pen, in the order of their buttons. */
const PEN_COMMANDS = ["ask-pen", "keep-pen", "return-pen", "take-pen"];
/** Commands with a place of their own on the page, which the list of commands does not repeat. */
const ELSEWHERE = new Set(["send", "give-pen", ...PEN_COMMANDS]);

const get = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const number = (value) => Number(value).toLocaleString("en");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Values that this browser keeps; a browser may refuse to. */
const kept = (storage, key, value) => {
  try {
    if (value === undefined) return storage.getItem(`serialterm.${key}`) ?? "";
    storage.setItem(`serialterm.${key}`, value);
  } catch { /* Then they last as long as the page. */ }
  return "";
};

// The state of the session, as far as the page knows it.

let socket = null;
let attempts = 0;
let retryTimer = 0;
let isWelcome = false;
let refusal = "";
let sessions = [];
let joined = null;
/** The session to join again: an entry of `sessions`. */
let wanted = JSON.parse(kept(sessionStorage, "session") || "null");
let joinAttempts = 0;
let joinTimer = 0;
let port = null;
let people = null;
let missed = 0;
let commands = new Map();
let nextId = 1;
const pending = new Map();

const screen = new Screen(get("screen"));

/** Shows a message, which screen readers say when they are idle. */
function say(text, isFailure = false) {
  get("status").textContent = text;
  get("status").classList.toggle("failure", isFailure);
}

/** Marks a button as off. It can still be reached, and says why when it is pressed. */
function setOff(button, reason, place) {
  if (reason) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
  if (place && place.textContent !== reason) place.textContent = reason;
  button.dataset.reason = reason;
}

/** Performs an action when the button is pressed, or says why it is off. */
function onPress(button, action) {
  button.addEventListener("click", () => {
    if (button.dataset.reason) say(sentence("Not available", button.dataset.reason), true);
    else action();
  });
}

// The connection

function connect() {
  clearTimeout(retryTimer);
  const here = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws").replace(/#.*/, "")));
  here.binaryType = "arraybuffer";
  socket = here;
  here.onopen = () => tell({ command: "hello", token: location.hash.slice(1), name: get("name").value.trim() });
  here.onmessage = ({ data }) => { if (socket === here) receive(JSON.parse(data)); };
  here.onclose = () => { if (socket === here) disconnected(); };
}

function disconnected() {
  socket = null;
  isWelcome = false;
  leave("connection lost");
  if (refusal) {
    showBanner(refusal, false);
    return;
  }
  const delay = BACK_OFF[Math.min(attempts, BACK_OFF.length - 1)];
  attempts += 1;
  showBanner("The connection to the server is lost. Trying again…");
  retryTimer = setTimeout(connect, delay);
}

function showBanner(text, mayRetry = true) {
  get("banner-text").textContent = text;
  get("banner").hidden = !text;
  get("retry").hidden = !mayRetry;
}

function reconnectNow() {
  if (refusal) return;
  const old = socket;
  socket = null;
  old?.close();
  leave("connection lost");
  connect();
}

const tell = (message) => {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
};

/** Gives the session a command. The answer is `done` or `failed`; failed too if the connection is lost. */
function command(message, answered = answer) {
  const id = nextId++;
  if (!joined || !tell({ ...message, id })) {
    answered({ event: "failed", id, reason: "no session is joined" });
    return id;
  }
  pending.set(id, answered);
  return id;
}

/** A reason stands behind a colon, as it is: it may begin with a name. */
const sentence = (what, reason) => `${what}: ${reason}${/[.!?…]$/.test(reason) ? "" : "."}`;

function answer({ event, reason, message }) {
  if (event === "failed") say(sentence("Not done", reason), true);
  else say(message ?? "Done.");
}

function receive(event) {
  switch (event.event) {
    case "welcome":
      isWelcome = true;
      attempts = 0;
      showBanner("");
      break;
    case "refused":
      refusal = `${event.reason} Open the link that serialterm has printed.`;
      break;
    case "sessions": sessions = event.sessions; showSessions(); joinAgain(); break;
    case "joined": enter(event.session); break;
    case "left":
      if (joined && event.session === joined.session) {
        leave(event.reason);
        say(`The session has ended: ${event.reason}`);
        clearTimeout(joinTimer);
        joinTimer = setTimeout(() => { joinTimer = 0; joinAgain(); }, BACK_OFF[Math.min(joinAttempts, 4)]);
        joinAttempts += 1;
      }
      break;
    case "state": port = event; joinAttempts = 0; showPort(); showPen(); break;
    case "received": received(event); break;
    case "people": people = event; showPeople(); showPen(); showCommands(); break;
    case "commands":
      for (const each of event.commands) commands.set(each.name, each);
      showPeople(); showPen(); showCommands();
      break;
    case "lines": showLines(event); break;
    case "missed":
      missed += event.bytes;
      screen.note(`… ${number(event.bytes)} bytes left out: this page was too slow …`);
      keep(`\n[gap: ${event.bytes} bytes]\n`, new Date().toISOString());
      showPort();
      break;
    case "progress": showProgress(event); break;
    case "file": say(`${event.name}: ${number(event.bytes)} bytes in ${(event.milliseconds / 1000).toFixed(1)} s`); break;
    case "message": say(event.text); break;
    case "line-errors": {
      const names = Object.keys(event).filter((name) => !["event", "time", "port"].includes(name));
      say(`Line errors: ${names.map((name) => `${name} ${event[name]}`).join(", ")}`, true);
      break;
    }
    case "ended": say(`The session has ended: ${event.reason}`); break;
    case "done": case "failed": {
      const answered = pending.get(event.id) ?? (event.event === "failed" ? answer : null);
      pending.delete(event.id);
      answered?.(event);
      break;
    }
  }
}

// Sessions

function join(session) {
  wanted = { session: session.session, port: session.port };
  kept(sessionStorage, "session", JSON.stringify(wanted));
  tell({ command: "join", session: session.session });
}

/** Joins the session of before, or the only one. */
function joinAgain() {
  if (joined || joinTimer || !isWelcome) return;
  const session = wanted
    ? sessions.find(({ session }) => session === wanted.session) ?? sessions.find(({ port }) => port === wanted.port)
    : sessions.length === 1 ? sessions[0] : undefined;
  if (session) join(session);
}

function enter(session) {
  leave("");
  joined = sessions.find((each) => each.session === session) ?? { session, port: session };
  missed = 0;
  screen.clear();
  forget();
  say("");
  showAll();
}

/** Forgets the session: all commands that wait fail. */
function leave(reason) {
  joined = port = people = null;
  commands = new Map();
  outgoing = "";
  get("commands").replaceChildren();
  rows.clear();
  for (const answered of pending.values()) answered({ event: "failed", reason: reason || "left" });
  pending.clear();
  showLines(null);
  showAll();
}

function showAll() {
  showSessions(); showPort(); showPeople(); showPen(); showCommands();
}

function showSessions() {
  get("no-sessions").hidden = sessions.length > 0;
  update(get("sessions"), sessions.map((session) => {
    const isHere = joined?.session === session.session;
    const name = session.people.length ? session.people.join(", ") : "nobody";
    const detail = `${session.state} · ${name}${session.pen ? ` · pen: ${session.pen}` : ""}`;
    return {
      key: session.session, text: session.port, detail, isCurrent: isHere,
      action: isHere ? "Joined" : "Join", label: isHere ? `Joined: ${session.port}` : `Join ${session.port}`,
      reason: isHere ? "you have joined it" : "", run: () => join(session),
    };
  }));
}

/** Shows entries with a button each. Entries and buttons that stay are the same elements, so that they keep the focus. */
function update(list, entries) {
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

// The port

const STATES = { open: "open", waiting: "waiting for the device", released: "lent to a program", closed: "closed" };

function showPort() {
  const name = joined ? joined.port : "serialterm";
  get("port").textContent = name;
  document.title = `${people?.others.some(({ asks }) => asks) ? "● " : ""}${joined ? `${name} – ` : ""}serialterm`;
  const state = get("state");
  state.dataset.state = port?.state ?? "none";
  state.textContent = port ? STATES[port.state] ?? port.state : isWelcome ? "no session" : "not connected";
  get("settings").textContent = port?.settings ?? "";
  get("missed").hidden = missed === 0;
  get("missed").textContent = `${number(missed)} bytes left out`;
}

function showLines(lines) {
  get("lines").hidden = !lines;
  get("lines").replaceChildren(...["dtr", "rts", "cts", "dsr", "dcd", "ri"].filter((name) => lines && name in lines).map(
    (name) => make("li", { className: lines[name] ? "on" : "off" }, name.toUpperCase(),
      make("span", { className: "spoken" , textContent: lines[name] ? " asserted" : " deasserted" }))));
}

// The pen, and keys

let outgoing = "";
let isSending = false;
let unsent = 0;
let isEscaped = false;

/** Why a command is off, as the session says; empty if it is on. */
function offReason(name) {
  if (!joined) return "no session is joined";
  const known = commands.get(name);
  return !known ? "joining the session" : known.enabled ? "" : known.reason;
}

/** Why keys are not sent now; empty if they are. */
const whyNoKeys = () => offReason("send");

function showPen() {
  const why = whyNoKeys();
  const asking = people?.others.filter(({ asks }) => asks) ?? [];
  let text = why ? sentence("Keys are not sent", why) : people?.pen === "mine" ? "You have the pen: keys go to the device."
    : "Everyone may type: keys go to the device.";
  if (why && unsent) text += ` ${number(unsent)} not sent.`;
  if (people?.asking) text += " You have asked for it.";
  if (asking.length) {
    text = asking.map(({ name, text }) => `${name} asks for the pen${text ? ` to send “${text}”` : ""}.`).join(" ");
  }
  if (get("pen-text").textContent !== text) get("pen-text").textContent = text;
  get("pen").dataset.pen = why ? "off" : "on";
  get("pen").classList.toggle("asked", asking.length > 0);
  const actions = asking.length
    ? [[`Give to ${asking[0].name}`, { command: "give-pen", to: asking[0].id }], ["Keep", { command: "keep-pen" }]]
    : [["Ask for the pen", { command: "ask-pen" }]];
  setOff(get("send"), why);
  setOff(get("press"), why);
  const place = get("pen-actions");
  const shown = actions.filter(([, { command: name }]) => !offReason(name));
  const wording = JSON.stringify(shown);
  if (place.dataset.actions === wording) return;
  place.dataset.actions = wording;
  place.replaceChildren(...shown.map(([title, message]) => {
    const button = make("button", { type: "button", textContent: title });
    onPress(button, () => command(message));
    return button;
  }));
}

/** Sends keys to the device. Those that cannot be sent are counted, and dropped. */
function type(text) {
  if (!text) return;
  if (whyNoKeys()) {
    unsent += [...text].length;
    showPen();
    return;
  }
  unsent = 0;
  // ctrl-c overtakes a paste that is still being sent.
  if (text === "\x03" && outgoing.length > LONGEST_SEND) outgoing = "";
  if (outgoing.length + text.length > LONGEST_PASTE) {
    say(`A paste has at most ${number(LONGEST_PASTE)} characters: send a file instead.`, true);
    return;
  }
  outgoing += text;
  sendNext();
}

function sendNext() {
  if (isSending || !outgoing) return;
  let end = Math.min(outgoing.length, LONGEST_SEND);
  // A character beyond U+FFFF stays whole.
  if (end < outgoing.length && /[\ud800-\udbff]/.test(outgoing[end - 1])) end -= 1;
  const text = outgoing.slice(0, end);
  outgoing = outgoing.slice(end);
  isSending = true;
  command({ command: "send", text }, (result) => {
    isSending = false;
    if (result.event === "failed") {
      outgoing = "";
      say(`Not sent: ${result.reason}`, true);
    }
    else if (outgoing.length > LONGEST_SEND) say(`Sending: ${number(outgoing.length)} characters left. Ctrl-C drops them.`);
    else if (text.length === LONGEST_SEND) say("");
    sendNext();
  });
}

const KEYS = {
  Enter: "\r", Backspace: "\x7f", Escape: "\x1b", Tab: "\t", ArrowUp: "\x1b[A", ArrowDown: "\x1b[B",
  ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D", Home: "\x1b[H", End: "\x1b[F", Insert: "\x1b[2~", Delete: "\x1b[3~",
  PageUp: "\x1b[5~", PageDown: "\x1b[6~", F1: "\x1bOP", F2: "\x1bOQ", F3: "\x1bOR", F4: "\x1bOS", F5: "\x1b[15~",
  F6: "\x1b[17~", F7: "\x1b[18~", F8: "\x1b[19~", F9: "\x1b[20~", F10: "\x1b[21~", F11: "\x1b[23~", F12: "\x1b[24~",
};
/** Keys that the browser or its user needs: find, reload, the next part of the window, the whole screen, tools. */
const BROWSER_KEYS = new Set(["F3", "F5", "F6", "F7", "F11", "F12"]);

/** What a key sends; null if it is the browser's, or if its text comes by the event `input`. */
function textOf(event) {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (metaKey || event.isComposing || (ctrlKey && altKey) || BROWSER_KEYS.has(key)) return null;
  if (key === "Tab" && (shiftKey || ctrlKey || isEscaped || !get("tabs").checked || whyNoKeys())) return null;
  if (KEYS[key] && !ctrlKey) {
    return shiftKey && ["Insert", "PageUp", "PageDown"].includes(key) ? null : (altKey ? "\x1b" : "") + KEYS[key];
  }
  if (ctrlKey && !shiftKey && key.length === 1) {
    // ctrl-v pastes.
    if (/^[a-z@[\\\]^_]$/.test(key) && key !== "v") return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31);
    if (key === " ") return "\0";
  }
  if (altKey && key.length === 1 && /^[ -~]$/.test(key) && !/Mac/.test(navigator.platform)) return `\x1b${key}`;
  return null;
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
  type(text);
}

function startKeys() {
  const [keys, view] = [get("keys"), get("screen")];
  keys.addEventListener("keydown", keyPressed);
  keys.addEventListener("blur", () => { isEscaped = false; });
  const take = () => { type(keys.value.replace(/\r?\n/g, "\r")); keys.value = ""; };
  keys.addEventListener("input", (event) => { if (!event.isComposing) take(); });
  keys.addEventListener("compositionstart", () => {
    const [place, frame] = [screen.cursorNode?.getBoundingClientRect(), view.getBoundingClientRect()];
    if (place) Object.assign(keys.style, { left: `${place.left - frame.left}px`, top: `${place.top - frame.top}px` });
    keys.classList.add("composing");
  });
  keys.addEventListener("compositionend", () => { keys.classList.remove("composing"); take(); });
  const paste = (event) => {
    event.preventDefault();
    type(event.clipboardData.getData("text/plain").replace(/\r?\n/g, "\r"));
  };
  keys.addEventListener("paste", paste);
  view.addEventListener("paste", paste);
  view.addEventListener("click", () => { if (document.getSelection().isCollapsed) keys.focus({ preventScroll: true }); });
  // Who types at the text means the device. The keys that scroll stay.
  view.addEventListener("keydown", (event) => {
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isText && event.key !== "Enter" && event.key !== "Backspace") return;
    keys.focus({ preventScroll: true });
    keyPressed(event);
  });
  view.addEventListener("copy", (event) => {
    const text = selectedText(view);
    if (text === null) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  });

  get("line").addEventListener("submit", (event) => {
    event.preventDefault();
    const why = whyNoKeys();
    if (why) { say(sentence("Not sent", why), true); return; }
    type(get("text").value + (get("enter").checked ? "\r" : ""));
    get("text").value = "";
  });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => [`Ctrl-${letter}`, String.fromCharCode(letter.charCodeAt(0) & 31)]);
  const named = Object.entries(KEYS).map(([name, text]) => [name.replace("Arrow", "Arrow "), text]);
  const special = new Map([letters[2], ...named, ...letters]);
  for (const name of special.keys()) get("special").append(make("option", { textContent: name, value: name }));
  get("press").addEventListener("click", () => {
    const why = whyNoKeys();
    if (why) say(sentence("Not sent", why), true); else type(special.get(get("special").value));
  });

  // The width of the device's screen is that of the view.
  const probe = make("span", { className: "probe", textContent: "0".repeat(100), ariaHidden: "true" });
  view.after(probe);
  new ResizeObserver(() => {
    const style = getComputedStyle(view);
    const width = view.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const one = probe.getBoundingClientRect().width / 100;
    if (one > 0) screen.resize(Math.floor(width / one + 0.01));
  }).observe(view);
}

// People

function showPeople() {
  showPort();
  const others = people?.others ?? [];
  const isMine = people?.pen === "mine";
  const detail = (each) => [
    each.id === people.holder ? "has the pen" : "", each.program ? "a program" : "", each.asks ? "asks for the pen" : "",
  ].filter(Boolean).join(" · ");
  update(get("people"), people ? [
    { key: "you", text: commands.get("name")?.value || get("name").value.trim() || "You", detail: isMine ? "you · has the pen" : "you" },
    ...others.map((each) => ({
      key: each.id, text: each.name, detail: detail(each), action: "Give the pen", label: `Give the pen to ${each.name}`,
      reason: offReason("give-pen"), run: () => command({ command: "give-pen", to: each.id }),
    })),
  ] : []);
  showPenCommands();
}

/** A text with a capital letter, for buttons. */
const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function showPenCommands() {
  const list = get("pen-commands");
  const known = PEN_COMMANDS.map((name) => commands.get(name)).filter((each) => each?.users.includes("page"));
  if (list.children.length !== known.length) {
    list.replaceChildren(...known.map(({ name }) => {
      const button = make("button", { type: "button" }, make("span", { className: "title" }), make("span", { className: "reason" }));
      button.dataset.name = name;
      onPress(button, () => command({ command: name }));
      return make("li", {}, button);
    }));
  }
  known.forEach(({ name, title }, index) => {
    const button = list.children[index].firstChild;
    button.firstChild.textContent = capitalized(title);
    setOff(button, offReason(name), button.lastChild);
  });
  showUpload();
}

// Commands

/** The entries of the list by the names of their commands. */
const rows = new Map();

function showCommands() {
  const words = get("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const each of commands.values()) {
    if (!each.users.includes("page") || ELSEWHERE.has(each.name)) continue;
    const row = rows.get(each.name) ?? addCommand(each.name);
    row.title.textContent = each.title;
    row.value.textContent = each.value ?? "";
    setOff(row.button, offReason(each.name), row.reason);
    const text = [each.name, each.title, each.value ?? "", ...(each.synonyms ?? [])].join(" ").toLowerCase();
    row.item.hidden = !words.every((word) => text.includes(word));
    if (!row.item.hidden) shown += 1;
    if (row.item.hidden || !each.enabled) row.form?.remove();
  }
  get("no-commands").textContent = !joined ? "No session is joined." : commands.size && !shown ? "No command matches." : "";
  showProtocols();
  showUpload();
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
  onPress(row.button, () => choose(name, row));
  rows.set(name, row);
  get("commands").append(row.item);
  return row;
}

/** Runs a command, or opens what asks for its arguments. */
function choose(name, row) {
  if (row.form?.isConnected) { row.form.remove(); return; }
  if (name === "name") { get("name").focus(); return; }
  if (name === "send-file" || name === "plot") {
    const panel = get(name === "plot" ? "plot" : "files-panel");
    panel.open = true;
    panel.scrollIntoView({ block: "nearest" });
    (name === "plot" ? panel.querySelector("summary") : get("file")).focus();
    return;
  }
  const { title, arguments: [argument] = [] } = commands.get(name);
  if (!argument) { command({ command: name }); return; }
  const id = `argument-${name.replace(/[^a-z-]/g, "-")}`;
  const field = fieldFor(argument, id);
  row.form = make("form", { className: "argument" },
    make("label", { htmlFor: id, textContent: argument.kind === "choice" ? title : `${title}: ${argument.expected}` }), field,
    ...(argument.unit ? [make("span", { className: "unit", textContent: argument.unit })] : []),
    ...(argument.kind !== "choice" && argument.choices ? [usualValues(argument, field)] : []),
    make("button", { type: "submit", textContent: "Run" }), make("button", { type: "button", textContent: "Cancel" }));
  const close = () => { row.form.remove(); row.button.focus(); };
  row.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = field.value.trim();
    command(value || !argument.optional ? { command: name, [argument.name]: value } : { command: name });
    close();
  });
  row.form.lastChild.addEventListener("click", close);
  row.form.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  row.item.append(row.form);
  field.focus();
  field.select?.();
}

/** A field for an argument: a list for a few values, else free entry. */
function fieldFor({ kind, value = "", choices }, id) {
  if (kind === "choice") {
    const field = make("select", { id }, ...choices.map((each) => make("option", { textContent: each, value: each })));
    if (choices.includes(value)) field.value = value;
    return field;
  }
  return make("input", { id, value, autocomplete: "off", spellcheck: false, inputMode: kind === "number" ? "numeric" : "text" });
}

/** The usual values of a field with free entry. */
function usualValues({ choices }, field) {
  const list = make("datalist", { id: `${field.id}-usual` }, ...choices.map((each) => make("option", { value: each })));
  field.setAttribute("list", list.id);
  return list;
}

// Plot

let plotTimer = 0;
let plotAddress = "";

function pollPlot() {
  clearTimeout(plotTimer);
  const panel = get("plot");
  if (!panel.open) return;
  const again = () => { plotTimer = setTimeout(pollPlot, 1000); };
  if (document.hidden || !joined) { again(); return; }
  const width = Math.min(1200, Math.max(320, Math.round(panel.clientWidth - 32)));
  command({ command: "plot", width, height: Math.round(Math.min(320, width * 0.4)) }, (result) => {
    again();
    const image = get("plot-image");
    image.hidden = !result.svg;
    get("plot-reason").textContent = result.svg ? "" : `No picture: ${result.reason ?? "the answer has none"}.`;
    URL.revokeObjectURL(plotAddress);
    plotAddress = result.svg ? URL.createObjectURL(new Blob([result.svg], { type: "image/svg+xml" })) : "";
    if (plotAddress) image.src = plotAddress;
  });
}

// Files

let upload = null;

/** The protocols that the session has for files. */
function showProtocols() {
  const { choices = [], titles = choices, value } = commands.get("send-file")?.arguments.find(({ name }) => name === "protocol") ?? {};
  const select = get("protocol");
  const wording = JSON.stringify([choices, titles]);
  if (!choices.length || select.dataset.choices === wording) return;
  select.dataset.choices = wording;
  select.replaceChildren(...choices.map((each, index) => make("option", { textContent: titles[index], value: each })));
  select.value = value;
}

function showUpload() {
  const reason = upload ? "a file is being sent" : offReason("send-file");
  setOff(get("upload-start"), reason, get("upload-reason"));
  get("upload-stop").hidden = get("upload-bar").hidden = !upload;
}

async function sendFile() {
  const file = get("file").files[0];
  const { reason } = get("upload-start").dataset;
  if (reason || !file || file.size > LARGEST_FILE) {
    say(`Not sent: ${reason || (file ? "a file has at most 64 MiB" : "choose a file")}.`, true);
    return;
  }
  const here = { id: 0, name: file.name, isComplete: false };
  upload = here;
  const protocol = get("protocol").value;
  const wire = socket;
  get("upload-text").textContent = `${file.name}: to the server…`;
  here.id = command({ command: "upload", name: file.name, size: file.size, protocol }, (result) => {
    const isDone = result.event === "done";
    get("upload-text").textContent = isDone ? result.message ?? `${file.name} was sent.` : `${file.name} was not sent: ${result.reason}`;
    say(get("upload-text").textContent, !isDone);
    if (upload === here) upload = null;
    showUpload();
  });
  showUpload();
  for (let position = 0; position < file.size; position += PIECE) {
    const piece = await file.slice(position, position + PIECE).arrayBuffer();
    while (wire.bufferedAmount > 8 * PIECE) await pause(20);
    if (upload !== here || wire !== socket) return;
    wire.send(piece);
    get("upload-bar").value = position / file.size;
  }
  here.isComplete = true;
  if (upload === here) get("upload-text").textContent = `${file.name}: waiting for the device…`;
}

function stopFile() {
  if (!upload) return;
  const { id, isComplete } = upload;
  command({ command: "cancel" }, () => {});
  if (isComplete) return;
  // The session has not heard of the file yet, so that nobody else answers.
  pending.get(id)?.({ event: "failed", reason: "stopped" });
  pending.delete(id);
}

function showProgress({ name, position, size, rate }) {
  if (size) get("upload-bar").value = position / size;
  get("upload-text").textContent = `${name}: ${number(position)} of ${size ? number(size) : "?"} bytes`
    + (rate ? `, ${number(Math.round(rate))} B/s` : "");
}

/** What was received, piece by piece, for "Save as text". */
let pieces = [];
let keptSize = 0;
let isCut = false;

function forget() {
  [pieces, keptSize, isCut] = [[], 0, false];
  showKept();
}

function keep(text, time) {
  pieces.push({ text, time });
  keptSize += text.length + 64;
  while (keptSize > MOST_KEPT) {
    keptSize -= pieces.shift().text.length + 64;
    isCut = true;
  }
  if (!keep.timer) keep.timer = setTimeout(() => { keep.timer = 0; showKept(); }, 500);
}

function showKept() {
  const size = keptSize - pieces.length * 64;
  get("download-text").textContent = !pieces.length ? "Nothing received yet."
    : `Received: ${number(size)} characters.${isCut ? " The beginning is missing: the page keeps 16 MiB." : ""}`;
}

function received({ text, hex, time }) {
  const shown = text ?? (hex ?? "").replace(/../g, "\\x$&");
  screen.write(shown);
  keep(shown, time);
}

/** The text that was received, without escape sequences; with the time of its first character before each line. */
function receivedText(hasTimes) {
  const lines = [];
  let [line, start, held] = ["", "", ""];
  const finish = () => { lines.push(hasTimes ? `[${start}] ${line}` : line); line = start = ""; };
  for (const { text, time } of pieces) {
    const whole = held + text;
    // A sequence, or a CR that may be a part of a line end, is completed by the next piece.
    const rest = /(\x1b(\[[ -?]{0,60}|[ -/]{0,2})|\r)$/.exec(whole)?.[0] ?? "";
    held = rest;
    const plain = whole.slice(0, whole.length - rest.length).replace(/\x1b(\[[ -?]*[@-~]|[ -/]+[0-~]|[^[ -/])/gs, "");
    plain.replace(/\r*\n\r*|\r+/g, "\n").split("\n").forEach((part, index) => {
      if (index > 0) finish();
      start ||= time;
      line += part.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
    });
  }
  if (line) finish();
  return lines.join("\n") + (lines.length ? "\n" : "");
}

function save() {
  const text = receivedText(get("times").checked);
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const name = (joined?.port ?? "session").split("/").pop().replace(/[^\w.-]/g, "_") || "session";
  make("a", { href: address, download: `${name}-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-")}.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// The start

get("name").value = kept(localStorage, "name");
get("name-form").addEventListener("submit", (event) => { event.preventDefault(); get("name").blur(); });
get("name").addEventListener("change", () => {
  const name = get("name").value.trim();
  kept(localStorage, "name", name);
  if (!joined) return reconnectNow();
  command({ command: "name", argument: name });
  showPeople();
});
get("tabs").checked = kept(localStorage, "tabs") !== "off";
get("tabs").addEventListener("change", () => { kept(localStorage, "tabs", get("tabs").checked ? "on" : "off"); });
// A device can say more than anybody can listen to, so that it is off at first.
const sayAloud = () => { get("screen").setAttribute("aria-live", get("aloud").checked ? "polite" : "off"); };
get("aloud").checked = kept(localStorage, "aloud") === "on";
get("aloud").addEventListener("change", () => { kept(localStorage, "aloud", get("aloud").checked ? "on" : "off"); sayAloud(); });
sayAloud();
get("retry").addEventListener("click", reconnectNow);
get("filter").addEventListener("input", showCommands);
get("plot").addEventListener("toggle", pollPlot);
// The place behind # is the token's: a jump there would lose it.
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); get("keys").focus(); });
get("upload").addEventListener("submit", (event) => { event.preventDefault(); sendFile(); });
get("upload-stop").addEventListener("click", stopFile);
get("download").addEventListener("click", save);
addEventListener("hashchange", () => { refusal = ""; reconnectNow(); });
addEventListener("online", () => { if (!socket) reconnectNow(); });
// On a narrow page, what is needed less often is closed at first.
if (matchMedia("(max-width: 52rem)").matches) {
  for (const panel of document.querySelectorAll("aside details")) panel.open = panel.id === "people-panel";
}
startKeys();
showAll();
connect();
