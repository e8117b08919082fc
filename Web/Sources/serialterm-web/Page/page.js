// The page of a session: one WebSocket to serialterm-web, what it says about the session, and the user's commands.
// Everything that comes from elsewhere is shown with textContent.

import { drawers, isOpen, showDrawer, startDrawers } from "./drawers.js";
import { capitalized, get, keepChoice, kept, make, number, onPress, pause, say, sentence, setChoices, setOff, update } from "./elements.js";
import { forgetTyped, sendKeys, startKeyboard } from "./keyboard.js";
import { showLog, startLog } from "./log.js";
import { forgetCommands, showCommands, startPalette } from "./palette.js";
import { forget, keep, save } from "./received.js";
import { Screen, selectedText } from "./screen.js";

const LONGEST_SEND = 2000;          // The server takes messages of 16 KiB; each character may need six bytes of JSON.
const LONGEST_PASTE = 1 << 20;
const PIECE = 32 << 10;
const LARGEST_FILE = 64 << 20;
const BACK_OFF = [500, 1000, 2000, 4000, 5000];

// The state of the session, as far as the page knows it.

let socket = null;
let attempts = 0;
let retryTimer = 0;
let isWelcome = false;
let refusal = "";
/** What the server says about WebSockets that do not reach it. */
let why = "";
let sessions = [];
let joined = null;
/** The session to join again: an entry of `sessions`. */
let wanted = JSON.parse(kept(sessionStorage, "session") || "null");
let joinAttempts = 0;
/** Whether the list of sessions was shown to choose from. */
let isChoosing = false;
let joinTimer = 0;
let port = null;
let people = null;
let missed = 0;
let commands = new Map();
let nextId = 1;
const pending = new Map();

const screen = new Screen(get("screen"));

// The connection

function connect() {
  clearTimeout(retryTimer);
  const here = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws").replace(/#.*/, "")));
  here.binaryType = "arraybuffer";
  socket = here;
  let wasOpen = false;
  here.onopen = () => {
    wasOpen = true;
    tell({ command: "hello", token: location.hash.slice(1), name: get("name").value.trim() });
  };
  here.onmessage = ({ data }) => { if (socket === here) receive(JSON.parse(data)); };
  here.onclose = () => { if (socket === here) disconnected(wasOpen); };
}

function disconnected(wasOpen) {
  socket = null;
  isWelcome = false;
  leave("connection lost");
  if (refusal) {
    showBanner(refusal, false);
    return;
  }
  const delay = BACK_OFF[Math.min(attempts, BACK_OFF.length - 1)];
  attempts += 1;
  if (wasOpen) why = "";
  showBanner(why || "The connection to the server is lost. Trying again…");
  retryTimer = setTimeout(connect, delay);
  // A server that has just come back gets another try.
  if (!wasOpen && attempts > 1) askWhy();
}

/** Asks the server why a WebSocket was refused: a browser lets no script know. */
async function askWhy() {
  try {
    const answer = await fetch(`why?${location.origin}`, { cache: "no-store" });
    // A proxy may have a page of its own at this address, such as one that asks for a password.
    const isReason = answer.ok && answer.headers.get("Content-Type")?.startsWith("text/plain");
    why = isReason ? (await answer.text()).slice(0, 600).trim() : "";
  } catch {
    // The server is not there.
    why = "";
  }
  if (why && socket?.readyState !== WebSocket.OPEN) showBanner(why);
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
      showPeople(); showPen(); showRunning(); showCommands(); showProtocols(); showLog();
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
    case "message": case "repetition-ended": say(event.text); break;
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
  else if (!isChoosing) {
    // Once: the user may close it, or use another drawer.
    isChoosing = true;
    if (![...drawers.keys()].some(isOpen)) showDrawer("sessions", true);
  }
}

function enter(session) {
  leave("");
  const wasChosen = get("sessions").contains(document.activeElement);
  showDrawer("sessions", false);
  if (wasChosen) get("keys").focus();
  isChoosing = false;
  unsent = 0;
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
  forgetTyped();
  forgetCommands();
  for (const answered of pending.values()) answered({ event: "failed", reason: reason || "left" });
  pending.clear();
  showLines(null);
  showAll();
}

function showAll() {
  showSessions(); showPort(); showPeople(); showPen(); showRunning(); showCommands(); showLog();
}

function showSessions() {
  get("no-sessions").hidden = sessions.length > 0;
  drawers.get("sessions").hidden = joined !== null && sessions.length < 2 && !isOpen("sessions");
  update(get("sessions-list"), sessions.map((session) => {
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
      make("span", { className: "spoken" , textContent: lines[name] ? " on" : " off" }))));
}

// The pen, and keys

let outgoing = "";
let isSending = false;
let unsent = 0;

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
  if (why) forgetTyped();
  if (get("pen-text").textContent !== text) get("pen-text").textContent = text;
  get("pen").dataset.pen = why ? "off" : "on";
  get("pen").classList.toggle("asked", asking.length > 0);
  for (const button of [get("send"), ...get("keybar").querySelectorAll("button:not(#more)")]) setOff(button, why);
  const actions = asking.length
    ? [[`Give to ${asking[0].name}`, { command: "give-pen", to: asking[0].id }], ["Keep", { command: "keep-pen" }]]
    : ["return-pen", "ask-pen", "take-pen"].map((name) => [capitalized(commands.get(name)?.title ?? name), { command: name }]);
  // One button, which says what it does now; two for a question.
  showActions(actions.filter(([, { command: name }]) => !offReason(name)).slice(0, asking.length ? 2 : 1));
}

/** Shows what is running, with a button that stops it. */
function showRunning() {
  get("stop").hidden = !joined || !commands.get("stop")?.enabled;
  const { title = "", value } = commands.get("stop") ?? {};
  get("stop").textContent = capitalized(title) + (value ? `: ${value}` : "");
}

/** Stops what runs: first the command that runs, which holds up the others, then what goes on behind its command. */
function stopRunning() {
  command({ command: "cancel" });
  // The first one may have stopped everything.
  command({ command: "stop" }, (result) => { if (result.event === "done") answer(result); });
}

function showActions(actions) {
  const place = get("pen-actions");
  const wording = JSON.stringify(actions);
  if (place.dataset.actions === wording) return;
  const hadFocus = place.contains(document.activeElement);
  place.dataset.actions = wording;
  place.replaceChildren(...actions.map(([title, message]) => {
    const button = make("button", { type: "button", textContent: title });
    button.dataset.name = message.command;
    onPress(button, () => command(message));
    return button;
  }));
  if (hadFocus) (place.firstChild ?? get("keys")).focus();
}

/** Sends keys to the device. Those that cannot be sent are counted, and dropped. Returns whether they are sent. */
function type(text) {
  if (!text) return true;
  if (whyNoKeys()) {
    unsent += [...text].length;
    showPen();
    return false;
  }
  unsent = 0;
  // ctrl-c overtakes a paste that is still being sent.
  if (text === "\x03" && outgoing.length > LONGEST_SEND) outgoing = "";
  if (outgoing.length + text.length > LONGEST_PASTE) {
    say(`A paste has at most ${number(LONGEST_PASTE)} characters: send a file instead.`, true);
    return false;
  }
  outgoing += text;
  sendNext();
  return true;
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
      forgetTyped();
      say(`Not sent: ${result.reason}`, true);
    }
    else if (outgoing.length > LONGEST_SEND) say(`Sending: ${number(outgoing.length)} characters left. Ctrl-C drops them.`);
    else if (text.length === LONGEST_SEND) say("");
    sendNext();
  });
}

/** What the terminal shows, and copies. */
function startView() {
  const view = get("screen");
  view.addEventListener("copy", (event) => {
    const text = selectedText(view);
    if (text === null) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
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
  get("people-count").textContent = others.length ? others.length + 1 : "";
  update(get("people-list"), people ? [
    { key: "you", text: commands.get("name")?.value || get("name").value.trim() || "You", detail: isMine ? "you · has the pen" : "you" },
    ...others.map((each) => ({
      key: each.id, text: each.name, detail: detail(each), action: "Give the pen", label: `Give the pen to ${each.name}`,
      reason: offReason("give-pen"), run: () => command({ command: "give-pen", to: each.id }),
    })),
  ] : []);
  showUpload();
}

// Plot

let plotTimer = 0;
let plotAddress = "";

function pollPlot() {
  clearTimeout(plotTimer);
  const panel = get("plot");
  if (panel.hidden) return;
  const again = () => { plotTimer = setTimeout(pollPlot, 1000); };
  if (document.hidden || !joined) {
    if (!joined) showPicture(null, "no session is joined");
    again();
    return;
  }
  const width = Math.min(1200, Math.max(320, Math.round(panel.clientWidth - 32)));
  command({ command: "plot", width, height: Math.round(Math.min(320, width * 0.4)) }, (result) => {
    again();
    showPicture(result.svg, result.reason ?? "the answer has none");
  });
}

function showPicture(svg, reason) {
  const image = get("plot-image");
  image.hidden = !svg;
  get("plot-reason").textContent = svg ? "" : `No picture: ${reason}.`;
  URL.revokeObjectURL(plotAddress);
  plotAddress = svg ? URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) : "";
  if (plotAddress) image.src = plotAddress;
}

// Files

let upload = null;

/** The protocols that the session has for files. */
function showProtocols() {
  const { choices = [], titles = choices, value } = commands.get("send-file")?.arguments.find(({ name }) => name === "protocol") ?? {};
  if (choices.length && setChoices(get("protocol"), choices, titles)) get("protocol").value = value;
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

function received({ text, hex, time }) {
  const shown = text ?? (hex ?? "").replace(/../g, "\\x$&");
  screen.write(shown);
  keep(shown, time);
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
keepChoice("tabs", true);
// A device can say more than anybody can listen to, so that it is off at first.
keepChoice("aloud", false, () => { get("screen").setAttribute("aria-live", get("aloud").checked ? "polite" : "off"); });
get("retry").addEventListener("click", reconnectNow);
document.querySelector(".skip").addEventListener("click", () => get("keys").focus());
get("stop").addEventListener("click", stopRunning);
get("upload").addEventListener("submit", (event) => { event.preventDefault(); sendFile(); });
get("upload-stop").addEventListener("click", stopFile);
get("download").addEventListener("click", () => save(joined?.port ?? "session"));
addEventListener("hashchange", () => { refusal = ""; reconnectNow(); });
addEventListener("online", () => { if (!socket) reconnectNow(); });
startDrawers();
get("plot").addEventListener("toggle", pollPlot);
startPalette({ commands: () => commands, isJoined: () => joined !== null, offReason, command, type: sendKeys });
startLog({ offReason, command });
startView();
startKeyboard(type, whyNoKeys, screen);
showAll();
connect();
