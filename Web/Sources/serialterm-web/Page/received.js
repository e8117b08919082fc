// What the page has received, for "Save as text".

import { get, number, saveFile } from "./elements.js";

/** What the page keeps, in characters. */
const MOST_KEPT = 16 << 20;

/** What was received, piece by piece, for "Save as text". */
let pieces = [];
let keptSize = 0;
let isCut = false;

export function forget() {
  [pieces, keptSize, isCut] = [[], 0, false];
  showKept();
}

export function keep(text, time) {
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

export function save(portName) {
  const text = receivedText(get("times").checked);
  const name = portName.split("/").pop().replace(/[^\w.-]/g, "_") || "session";
  saveFile(new Blob([text], { type: "text/plain;charset=utf-8" }),
    `${name}-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-")}.txt`);
}
