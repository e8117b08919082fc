"use strict";

// The page: it shows what the session publishes, and sends commands to it. What is possible is decided there: a command
// that is off comes with its reason.

const $ = id => document.getElementById(id);

/// An element with text and children.
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const screen = new Screen($("screen"));

// What was received, for the download: pieces with their times.
const kept = { pieces: [], size: 0, lost: 0, limit: 16 << 20 };

const session = {
  /// The sessions that can be joined, and the one that this page has joined, or wants to join again.
  list: [], joined: null, wanted: null,
  state: "", people: null, commands: new Map(), missed: 0,
};

let listed = new Set();
let largestFile = 0;

// MARK: The connection

let socket = null;
let pause = 500;
let isRefused = false;
const answers = new Map();
let lastID = 0;

function connect() {
  const address = new URL("socket", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  socket = new WebSocket(address);
  socket.onopen = () => {
    const token = location.hash.slice(1);
    socket.send(JSON.stringify({ command: "hello", token, name: localStorage.getItem("name") ?? "" }));
  };
  socket.onmessage = message => handle(JSON.parse(message.data));
  socket.onclose = () => {
    leave();
    for (const answer of answers.values()) answer({ event: "failed", reason: "the connection is lost" });
    answers.clear();
    if (isRefused) return;
    banner("The connection to the server is lost. It is tried again.");
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 5000);
  };
}

/// Gives a command, and returns its answer.
function perform(command, members = {}) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.resolve({ event: "failed", reason: "no connection" });
  const id = ++lastID;
  socket.send(JSON.stringify({ id, command, ...members }));
  return new Promise(resolve => answers.set(id, resolve));
}

/// Gives a command of the user, and shows what comes of it.
async function order(command, members) {
  const answer = await perform(command, members);
  say(answer.event === "failed" ? answer.reason : answer.message || "");
  return answer;
}

function handle(event) {
  switch (event.event) {
    case "welcome":
      pause = 500;
      banner("");
      listed = new Set(event.commands);
      largestFile = event.largestFile;
      break;
    case "refused":
      isRefused = true;
      banner(event.reason);
      break;
    case "sessions":
      session.list = event.sessions;
      showSessions();
      joinWanted();
      break;
    case "joined":
      session.joined = event.session;
      screen.clear();
      Object.assign(kept, { pieces: [], size: 0, lost: 0 });
      Object.assign(session, { missed: 0, commands: new Map(), people: null });
      showMissed();
      showKept();
      showSessions();
      break;
    case "left":
      leave();
      screen.note(`The session is gone: ${event.reason}`);
      break;
    case "received":
      receive(event);
      break;
    case "state": {
      const words = { open: "open", waiting: "no device", released: "lent to a program", closed: "closed" };
      session.state = event.state;
      showBadge(words[event.state] ?? event.state);
      $("settings").textContent = event.settings ?? "";
      showPeople();
      break;
    }
    case "lines": showLines(event); break;
    case "people":
      session.people = event;
      showPeople();
      break;
    case "commands":
      for (const command of event.commands) session.commands.set(command.name, command);
      showCommands();
      showPeople();
      break;
    case "missed":
      session.missed += event.bytes;
      screen.note(`… ${event.bytes.toLocaleString("en")} bytes are left out: this page was too slow …`);
      showMissed();
      break;
    case "line-errors": {
      const parts = Object.entries(event).filter(([name]) => name !== "event" && name !== "port");
      screen.note(`errors of the line: ${parts.map(([name, count]) => `${count} ${name}`).join(", ")}`);
      break;
    }
    case "message": say(event.text); break;
    case "progress": showProgress(event); break;
    case "file": $("progressText").textContent = `Sent ${event.name}, ${event.bytes.toLocaleString("en")} bytes.`; break;
    case "done": case "failed": {
      const answer = answers.get(event.id);
      answers.delete(event.id);
      if (answer) answer(event);
      else if (event.event === "failed") say(event.reason);
      break;
    }
  }
}

function leave() {
  session.joined = null;
  session.people = null;
  session.state = "";
  showBadge("not joined");
  showPeople();
  showSessions();
}

/// Joins the session that the user has chosen, also when it comes back as another process, or the only one.
function joinWanted() {
  if (session.joined) return;
  const wanted = session.wanted
    ? session.list.find(one => one.session === session.wanted.session)
      ?? session.list.find(one => one.port === session.wanted.port)
    : session.list[0];
  if (wanted) join(wanted);
}

function join(one) {
  session.wanted = one;
  session.joined = one.session;
  $("port").textContent = one.port;
  document.title = `${one.port} – serialterm`;
  perform("join", { session: one.session });
}

// MARK: What is shown

function banner(text) {
  $("banner").textContent = text;
  $("banner").hidden = !text;
}

function say(text) { $("answer").textContent = text; }

function showBadge(text) {
  $("state").textContent = text;
  $("state").className = `badge ${text === "open" ? "good" : "off"}`;
}

function showLines(event) {
  const names = ["dtr", "rts", "cts", "dsr", "dcd", "ri"].filter(name => name in event);
  $("lines").replaceChildren(...names.map(name => make("li", {
    className: event[name] ? "on" : "off",
    textContent: name.toUpperCase(),
    title: `${name.toUpperCase()} is ${event[name] ? "on" : "off"}`,
  }, make("span", { className: "hidden", textContent: event[name] ? " on" : " off" }))));
}

function showMissed() {
  $("missed").hidden = session.missed === 0;
  $("missed").textContent = `${session.missed.toLocaleString("en")} bytes left out`;
}

/// Why nothing can be sent; empty if it can.
function obstacle() {
  const people = session.people;
  if (!session.joined) return "no session";
  if (session.state !== "open") return session.state === "released" ? "the port is lent" : "no device";
  if (!people || people.pen === "mine" || people.pen === "everyone") return "";
  if (people.pen === "nobody") return "nobody writes here";
  if (people.pen === "free") return "nobody has the pen: ask for it";
  return `${nameOf(people.holder)} has the pen`;
}

function nameOf(id) {
  return session.people?.others.find(person => person.id === id)?.name ?? "somebody";
}

/// A button that stays reachable when it is off, so that its reason can be read.
function button(text, reason, act) {
  const made = make("button", { type: "button" }, text);
  if (reason) {
    made.setAttribute("aria-disabled", "true");
    made.append(make("small", { textContent: ` ${reason}` }));
  }
  made.onclick = () => reason ? say(`${text}: ${reason}`) : act();
  return made;
}

function showPeople() {
  const people = session.people;
  const hint = obstacle();
  $("hint").textContent = hint ? `You only watch: ${hint}.` : "What you type is sent.";
  $("sendLine").setAttribute("aria-disabled", String(Boolean(hint)));
  if (!people) {
    $("people").replaceChildren();
    $("penButtons").replaceChildren();
    return;
  }
  const pen = (has, verb = "has") => has ? make("strong", { textContent: ` ${verb} the pen` }) : "";
  $("people").replaceChildren(
    make("li", {}, "you", pen(people.pen === "mine", "have"), people.asking ? " (asking for the pen)" : ""),
    ...people.others.map(person => make("li", {},
      person.name, pen(people.holder === person.id), person.program ? " (a program)" : "",
      person.asks ? make("em", { textContent: person.text ? ` asks to send ${person.text}` : " asks for the pen" }) : "")));
  const off = name => session.commands.get(name)?.reason;
  const buttons = [];
  if (people.pen === "mine") {
    for (const person of people.others) {
      buttons.push(button(`Give it to ${person.name}`, off("pen"), () => order("give-pen", { to: person.id })));
    }
    if (people.others.some(person => person.asks)) buttons.push(button("Keep it", "", () => order("keep-pen")));
    buttons.push(button("Give it back", off("pen"), () => order("return-pen")));
  } else {
    buttons.push(button("Ask for the pen", off("pen") ?? (people.asking ? "asked" : ""), () => order("ask-pen")));
    buttons.push(button("Take the pen", off("take-pen"), () => order("take-pen")));
  }
  keepFocus($("penButtons"), () => $("penButtons").replaceChildren(...buttons));
}

/// Changes the buttons of an element; the one with the focus has it afterwards, by its text.
function keepFocus(element, change) {
  const label = element.contains(document.activeElement) ? document.activeElement.firstChild?.textContent : null;
  change();
  if (label === null) return;
  [...element.querySelectorAll("button")].find(one => one.firstChild?.textContent === label)?.focus();
}

function showSessions() {
  $("sessions").replaceChildren(...session.list.map(one => {
    const isJoined = one.session === session.joined;
    const people = one.others?.length ? `, ${one.others.length} watching` : "";
    const row = button(one.port, isJoined ? "joined" : "", () => {
      session.joined = null;
      join(one);
    });
    row.append(make("small", { textContent: ` ${one.command}${one.pen ? `, ${one.pen} has the pen` : ""}${people}` }));
    return make("li", {}, row);
  }));
  if (session.list.length === 0) $("sessions").replaceChildren(make("li", { textContent: "No session is running." }));
}

function showCommands() {
  const wanted = $("filter").value.trim().toLowerCase();
  const commands = [...session.commands.values()].filter(command =>
    listed.has(command.name) && `${command.name} ${command.title}`.toLowerCase().includes(wanted));
  keepFocus($("commands"), () => $("commands").replaceChildren(...commands.map(command => {
    const row = button(command.title, command.reason, () => ask(command));
    if (command.value && !command.reason) row.append(make("small", { textContent: ` ${command.value}` }));
    return make("li", {}, row);
  })));
}

/// Performs a command, and asks for its argument first if it has one.
function ask(command) {
  if (!command.argument) return order(command.name);
  const give = argument => {
    $("question").close();
    order(command.name, { argument });
  };
  $("questionTitle").textContent = command.title;
  $("argumentLabel").textContent = command.argument;
  $("argument").value = "";
  $("choices").replaceChildren(...(command.choices ?? []).map(choice =>
    make("li", {}, button(choice, choice === command.value ? "now" : "", () => give(choice)))));
  $("answering").onsubmit = event => {
    if (event.submitter?.value !== "ok") return;
    event.preventDefault();
    give($("argument").value);
  };
  $("question").showModal();
}

// MARK: Received text

function receive(event) {
  screen.write(event.text);
  kept.pieces.push(event);
  kept.size += event.text.length;
  while (kept.size > kept.limit && kept.pieces.length > 1) {
    const first = kept.pieces.shift();
    kept.size -= first.text.length;
    kept.lost += first.text.length;
  }
  scheduleKept();
}

let keptTimer = null;
function scheduleKept() {
  keptTimer ??= setTimeout(showKept, 500);
}

function showKept() {
  keptTimer = null;
  const lost = kept.lost ? `; the first ${kept.lost.toLocaleString("en")} are no longer here` : "";
  $("kept").textContent = `${kept.size.toLocaleString("en")} characters were received on this page${lost}.`;
}

/// What was received as text, without what only moved the cursor or coloured it.
function receivedText(withTimes) {
  const plain = text => text.replace(/\x1b\[[\x20-\x3f]*[\x40-\x7e]|\x1b[()].|\x1b./g, "");
  if (!withTimes) return plain(kept.pieces.map(piece => piece.text).join(""));
  let [text, isAtStart] = ["", true];
  for (const piece of kept.pieces) {
    for (const part of plain(piece.text).split(/(?<=\n)/)) {
      if (isAtStart) text += `${piece.time} `;
      text += part;
      isAtStart = part.endsWith("\n");
    }
  }
  return text;
}

function download(withTimes) {
  const name = `${(session.wanted?.port ?? "session").split("/").pop()}.txt`;
  const link = make("a", { href: URL.createObjectURL(new Blob([receivedText(withTimes)], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

$("save").onclick = () => download(false);
$("saveTimes").onclick = () => download(true);

// MARK: Typing

// What was typed and not given to the session yet. The next piece follows when the device has taken the one before.
let typed = "";
let isSending = false;

function type(text) {
  const reason = obstacle();
  if (reason) return say(`Not sent: ${reason}.`);
  say("");
  typed += text;
  if (typed.length > 1 << 20) {
    typed = "";
    return say("Not sent: more than a megabyte is waiting.");
  }
  sendTyped();
}

async function sendTyped() {
  if (isSending) return;
  isSending = true;
  while (typed) {
    // Not in the middle of a character of two units.
    let end = Math.min(typed.length, 2000);
    if (/[\ud800-\udbff]/.test(typed[end - 1])) end++;
    const piece = typed.slice(0, end);
    typed = typed.slice(end);
    const answer = await perform("send", { text: piece });
    if (answer.event === "failed") {
      typed = "";
      say(`Not sent: ${answer.reason}.`);
    }
  }
  isSending = false;
}

const keys = {
  Enter: "\r", Backspace: "\x7f", Escape: "\x1b", Tab: "\t", Delete: "\x1b[3~", Insert: "\x1b[2~",
  ArrowUp: "\x1b[A", ArrowDown: "\x1b[B", ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D",
  Home: "\x1b[H", End: "\x1b[F", PageUp: "\x1b[5~", PageDown: "\x1b[6~",
};

/// The text that a key sends; null for none.
function textOf(event) {
  if (event.isComposing || event.metaKey) return null;
  if (event.ctrlKey && !event.altKey) {
    const letter = event.key.toLowerCase();
    if (/^[a-z@[\\\]^_]$/.test(letter)) return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);
    return letter === " " ? "\0" : null;
  }
  const text = keys[event.key] ?? ([...event.key].length === 1 ? event.key : null);
  return text && event.altKey ? `\x1b${text}` : text;
}

let escapes = 0;
$("screen").onkeydown = event => {
  // Keys of the browser: copying a selection, the page's own shortcuts, scrolling.
  const copies = event.ctrlKey && "cC".includes(event.key) && !getSelection().isCollapsed;
  const isBrowsers = event.ctrlKey && (event.shiftKey || "vV".includes(event.key)) || event.shiftKey && /^(Page|Arrow|Home|End|Tab)/.test(event.key);
  if (copies || isBrowsers) return;
  // Two escapes, and Tab leaves: a page that keeps the focus is a trap.
  if (event.key === "Tab" && escapes >= 2) {
    escapes = 0;
    return;
  }
  const text = textOf(event);
  if (text === null) return;
  escapes = event.key === "Escape" ? escapes + 1 : 0;
  event.preventDefault();
  type(text);
};
$("screen").onpaste = event => {
  event.preventDefault();
  type(event.clipboardData.getData("text").replace(/\r?\n/g, "\r"));
};
$("entry").onsubmit = event => {
  event.preventDefault();
  if (obstacle()) return type("");
  type(`${$("line").value}\r`);
  $("line").value = "";
};
$("filter").oninput = showCommands;

// MARK: The name

$("name").value = localStorage.getItem("name") ?? "";
$("naming").onsubmit = event => {
  event.preventDefault();
  localStorage.setItem("name", $("name").value.trim());
  // Who joins tells a name; another one is another member.
  pause = 0;
  socket.close();
};

// MARK: Files

let fileID = null;

$("sending").onsubmit = async event => {
  event.preventDefault();
  const file = $("file").files[0];
  const reason = obstacle();
  if (!file || reason || fileID) {
    $("progressText").textContent = fileID ? "A file is being sent." : reason ? `Not sent: ${reason}.` : "Choose a file first.";
    return;
  }
  if (file.size > largestFile) {
    $("progressText").textContent = `Not sent: ${file.name} has more than ${largestFile.toLocaleString("en")} bytes.`;
    return;
  }
  const answer = perform("upload", { name: file.name, size: file.size, protocol: $("protocol").value });
  fileID = lastID;
  $("stopFile").hidden = $("progress").hidden = false;
  $("progress").value = 0;
  $("progressText").textContent = `Sending ${file.name} …`;
  for (let position = 0; position < file.size && fileID; position += 32768) {
    const piece = await file.slice(position, position + 32768).arrayBuffer();
    while (socket.bufferedAmount > 1 << 20) await new Promise(resolve => setTimeout(resolve, 20));
    if (socket.readyState !== WebSocket.OPEN) break;
    socket.send(piece);
  }
  const end = await answer;
  fileID = null;
  $("stopFile").hidden = $("progress").hidden = true;
  $("progressText").textContent = end.event === "failed" ? `Not sent: ${end.reason}.` : `Sent ${file.name}, ${file.size.toLocaleString("en")} bytes.`;
};
$("stopFile").onclick = () => perform("cancel");

function showProgress(event) {
  if (event.size) $("progress").value = event.position / event.size;
  const rate = event.rate ? `, ${event.rate.toLocaleString("en")} B/s` : "";
  $("progressText").textContent = `${event.name}: ${event.position.toLocaleString("en")} bytes${rate}`;
}

// MARK: The plot

async function plot() {
  if (!$("plotPanel").open) return;
  if (session.joined) {
    const width = Math.max(320, Math.min(1200, $("plotPanel").clientWidth - 16));
    const answer = await perform("plot", { width, height: Math.round(width * 0.5) });
    const image = $("plot");
    if (answer.svg) {
      URL.revokeObjectURL(image.src);
      image.src = URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" }));
      image.alt = "Curves of the numbers that the device sends";
      image.hidden = false;
      $("plotText").textContent = "";
    } else {
      image.hidden = true;
      $("plotText").textContent = answer.reason;
    }
  }
  setTimeout(plot, 1000);
}
$("plotPanel").ontoggle = plot;

// MARK: The size of the terminal

function fit() {
  const probe = make("span", { className: "probe", textContent: "0".repeat(80) });
  $("screen").append(probe);
  const width = probe.getBoundingClientRect().width / 80;
  probe.remove();
  const room = $("screen").clientWidth - 16;
  if (width > 0 && room > 0) screen.width = Math.max(20, Math.floor(room / width));
}
new ResizeObserver(fit).observe($("screen"));

showBadge("not joined");
showPeople();
showKept();
connect();
