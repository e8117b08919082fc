// The session's log, if its owner shares it: read piece by piece, and saved as a file.

import { get, number, onPress, say, saveFile, setOff } from "./elements.js";

/** The largest log in bytes: the browser keeps it until it is complete. */
const LARGEST = 1 << 30;

let page;
/** The reading of a log; null while there is none. */
let reading = null;

/** Connects the buttons with the page: `command` gives the session a command, `offReason` says why one is off. */
export function startLog(owner) {
  page = owner;
  onPress(get("log-save"), () => { reading = { pieces: [], offset: 0 }; readNext(reading); showLog(); });
  get("log-stop").addEventListener("click", () => finish("The log was not saved: stopped."));
}

/** Shows whether the log can be saved now. */
export function showLog() {
  setOff(get("log-save"), reading ? "the log is being read" : page.offReason("read-log"), get("log-reason"));
  get("log-stop").hidden = !reading;
}

function readNext(here) {
  page.command({ command: "read-log", offset: here.offset }, (answer) => {
    if (reading === here) receive(here, answer);
  });
}

function receive(here, { event, reason, name, size, data }) {
  if (event === "failed") return finish(`The log was not saved: ${reason}.`, true);
  if (size > LARGEST) return finish("The log was not saved: a page saves at most 1 GiB.", true);
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  if (!bytes.length && here.offset < size) return finish("The log was not saved: a piece is missing.", true);
  here.pieces.push(new Blob([bytes]));
  here.offset += bytes.length;
  if (here.offset < size) {
    get("log-text").textContent = `${number(here.offset)} of ${number(size)} bytes`;
    readNext(here);
    return;
  }
  saveFile(new Blob(here.pieces), name);
  finish(`The log was saved: ${name}, ${number(size)} bytes.`);
}

function finish(text, isFailure = false) {
  reading = null;
  get("log-text").textContent = text;
  say(text, isFailure);
  showLog();
}
