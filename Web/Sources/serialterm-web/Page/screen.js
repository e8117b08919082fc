// A terminal's screen as selectable text. It interprets what the escape filter of serialterm lets pass
// (Sources/Values/TextStages/Filter) and draws rows of text: nothing that a device sends becomes markup. It behaves as
// ScreenCells (Sources/Values/TextStages/Cells).

/** Characters that take two columns: East Asian ones and emoji. */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u3247\\u3250-\\u4dbf\\u4e00-\\ua4c6\\ua960-\\ua97c"
  + "\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe6b\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{1b2fb}"
  + "\\u{1f200}-\\u{1f265}\\u{20000}-\\u{3fffd}]|(?![\\u{1f1e6}-\\u{1f1ff}])\\p{Emoji_Presentation}", "u");
/** Characters that belong to the one before: marks, joiners, variation selectors, vowels of a Korean syllable. */
const JOINED = /[\p{Mn}\p{Me}\p{Zl}\p{Zp}\u1160-\u11ff\ud7b0-\ud7ff]|(?!\xad)\p{Cf}/u;
/** The most UTF-16 code units of one cell. A device can send any number of marks. */
const LONGEST_CELL = 16;
/** The longest sequence that is kept over the border of two messages. The filter has the same limit. */
const LONGEST_SEQUENCE = 64;

/**
 * When more rows than the first number come in a frame, only the second number is drawn: the others would leave the
 * view at once. When it is calm, those that are still there follow, the third number in a frame.
 */
const [FLOOD, DRAWN_IN_FLOOD, DRAWN_LATER] = [120, 60, 200];

const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
const SEQUENCE = /\x1b(?:\[([0-?]*)([ -/]*)([@-~])|([ -/]+[0-~]|[^ -/[]))/gsy;
const UNFINISHED = /\x1b(?:\[[ -?]*|[ -/]*)$/y;

/** Colours and styles of a cell. Equal ones are the same object. */
const PLAIN = Object.freeze({ name: "", color: "", background: "" });
const NOTE = Object.freeze({ name: "note", color: "", background: "" });
const FIRST_PEN = Object.freeze({ fg: null, bg: null, flags: "" });

/** A row of cells. The right half of a wide character is an empty text. */
class Row {
  cells = [];
  styles = [];
  /** Whether the line goes on from the row above. */
  isWrapped = false;
  node = null;

  get text() { return this.cells.join(""); }

  /** Fills with spaces up to a column. */
  reach(column) {
    while (this.cells.length < column) { this.cells.push(" "); this.styles.push(PLAIN); }
  }

  /** Replaces the other half of a wide character that is about to be cut at a column. */
  cut(column) {
    if (this.cells[column] !== "" || column === 0) return;
    this.cells[column - 1] = this.cells[column] = " ";
  }

  erase(from, to, style) {
    this.cut(from);
    this.cut(to);
    if (to >= this.cells.length && style === PLAIN) {
      this.cells.length = this.styles.length = Math.min(from, this.cells.length);
      return;
    }
    this.reach(to);
    this.cells.fill(" ", from, to);
    this.styles.fill(style, from, to);
  }

  /** Ends at a column, at the latest. A row may be longer than the screen, which was wider before. */
  end(column) {
    this.cut(column);
    this.cells.length = this.styles.length = Math.min(column, this.cells.length);
  }

  insert(column, count, columns, style) {
    this.reach(column);
    this.cut(column);
    this.cells.splice(column, 0, ...Array(count).fill(" "));
    this.styles.splice(column, 0, ...Array(count).fill(style));
    this.end(columns);
  }

  remove(column, count, columns, style) {
    this.end(columns);
    this.cut(column);
    this.cut(column + count);
    if (style !== PLAIN) this.reach(columns);
    this.cells.splice(column, count);
    this.styles.splice(column, count);
    if (style !== PLAIN) this.erase(columns - count, columns, style);
  }
}

export class Screen {
  /** All rows, the oldest first. The last ones, from `top` on, are those that the device can write to. */
  rows = [new Row()];
  top = 0;
  x = 0;
  y = 0;

  #element; #height; #limit; #columns;
  #pending = "";
  #pen = FIRST_PEN;
  #style = PLAIN;
  #styles = new Map();
  #saved = null;
  /** The rows, and the saved cursor, of the screen that is not shown: the main or the alternate one. */
  #other = null;
  #isAlternate = false;
  #region = null;
  /** Whether rows count from the region. */
  #isOrigin = false;
  #wraps = true;
  #inserts = false;
  /** Columns that have, or have not, a tab stop, other than the first stops: every eighth column, or none. */
  #tabs = new Map();
  #hasFirstTabs = true;
  #showsCursor = true;
  /** Whether text without colours is light on dark where it was dark on light. */
  #isReversed = false;
  #sendsApplicationKeys = false;
  #last = "";
  #frame = 0;
  #dirty = new Set();
  #gone = [];
  /** The index of the first row that may not be at its place in the document. */
  #moved = 0;
  /** The number of rows when they were drawn last. */
  #seen = 0;
  #cursorRow = null;
  /** Whether the newest rows stay in sight: until the user scrolls up. */
  #follows = true;
  #scrollTop = 0;

  /**
   * @param element shows the rows; it scrolls.
   * @param options `rows` and `columns` of the device's screen; `limit`: the most rows that are kept.
   */
  constructor(element, { rows = 24, columns = 80, limit = 5000 } = {}) {
    this.#element = element;
    this.#height = rows;
    this.#columns = columns;
    this.#limit = Math.max(limit, rows);
    element.addEventListener("scroll", () => {
      // An element that became smaller is not at its end either, but nobody has scrolled it up.
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 8;
      if (isAtEnd) this.#follows = true;
      else if (element.scrollTop < this.#scrollTop) this.#follows = false;
      this.#scrollTop = element.scrollTop;
    });
    this.#schedule();
  }

  get columns() { return this.#columns; }

  /** Whether the device wants the keys of the cursor as `ESC O` and a letter, in place of `ESC [`. */
  get sendsApplicationKeys() { return this.#sendsApplicationKeys; }

  /** The texts of the rows that the device can write to, or of all, without spaces at their ends. */
  lines(all = false) { return this.rows.slice(all ? 0 : this.top).map((row) => row.text.trimEnd()); }

  /** The element that shows the cursor; null if it is hidden. */
  get cursorNode() { return this.#cursorRow?.node?.querySelector(".cursor") ?? null; }

  /** Sets the width, when the element has another size. Rows that exist stay as they are. */
  resize(columns) {
    this.#columns = Math.max(2, columns);
    this.x = Math.min(this.x, this.#columns);
    this.#schedule();
  }

  /** Removes all text, and all state that the device has set. */
  clear() {
    for (const row of this.rows) this.#drop(row);
    this.rows = [new Row()];
    this.top = this.x = this.y = this.#moved = this.#seen = 0;
    this.#pending = this.#last = "";
    this.#setPen(FIRST_PEN);
    this.#saved = this.#other = this.#region = null;
    this.#isAlternate = this.#isOrigin = this.#inserts = this.#isReversed = this.#sendsApplicationKeys = false;
    this.#wraps = this.#showsCursor = true;
    [this.#tabs, this.#hasFirstTabs] = [new Map(), true];
    this.#schedule();
  }

  /** Adds a line that does not come from the device: above the screen, if a program draws on the alternate one. */
  note(text) {
    this.#pending = "";
    if (this.#isAlternate) {
      const row = new Row();
      [row.cells, row.styles] = [[...text], [...text].fill(NOTE)];
      this.rows.splice(this.top, 0, row);
      this.#moved = Math.min(this.#moved, this.top);
      this.top += 1;
      this.#trim(this.#limit);
    } else {
      const [pen, region, wraps, inserts] = [this.#pen, this.#region, this.#wraps, this.#inserts];
      this.#setPen(FIRST_PEN);
      [this.#style, this.#region, this.#wraps, this.#inserts] = [NOTE, null, true, false];
      if (this.x > 0) this.#newLine();
      this.#print(text);
      this.#newLine();
      [this.#region, this.#wraps, this.#inserts] = [region, wraps, inserts];
      this.#setPen(pen);
    }
    this.#schedule();
  }

  /** Interprets a piece of what a device has sent. */
  write(piece) {
    const text = this.#pending + piece;
    this.#pending = "";
    let index = 0;
    while (index < text.length) {
      CONTROL.lastIndex = index;
      const end = CONTROL.exec(text)?.index ?? text.length;
      if (end > index) this.#print(text.slice(index, end));
      index = end;
      if (index === text.length) break;
      if (text[index] === "\x1b") {
        UNFINISHED.lastIndex = SEQUENCE.lastIndex = index;
        const match = SEQUENCE.exec(text);
        if (match) this.#escape(match);
        else if (text.length - index < LONGEST_SEQUENCE && UNFINISHED.test(text)) {
          this.#pending = text.slice(index);
          break;
        }
        index += match ? match[0].length : 1;
      } else {
        this.#control(text[index]);
        index += 1;
      }
    }
    this.#trim(this.#limit);
    this.#schedule();
  }

  // Characters

  get #row() { return this.#rowAt(this.y); }

  #rowAt(y) {
    while (this.rows.length <= this.top + y) this.rows.push(new Row());
    const row = this.rows[this.top + y];
    this.#dirty.add(row);
    return row;
  }

  #print(text) {
    if (/^[ -~]*$/.test(text)) {
      for (let index = 0; index < text.length;) {
        const row = this.#roomFor(1);
        const count = Math.max(1, Math.min(text.length - index, this.#columns - this.x));
        if (this.#inserts) row.insert(this.x, count, this.#columns, PLAIN);
        row.cut(this.x);
        row.cut(this.x + count);
        for (let i = 0; i < count; i += 1) {
          row.cells[this.x + i] = text[index + i];
          row.styles[this.x + i] = this.#style;
        }
        this.x += count;
        index += count;
        this.#last = text[index - 1];
      }
      return;
    }
    for (const character of text) {
      if (JOINED.test(character)) this.#join(character);
      else this.#put(character);
    }
  }

  #put(character) {
    const width = WIDE.test(character) ? 2 : 1;
    const row = this.#roomFor(width);
    if (this.#inserts) row.insert(this.x, width, this.#columns, PLAIN);
    row.cut(this.x);
    row.cut(this.x + width);
    for (let i = 0; i < width; i += 1) {
      row.cells[this.x + i] = i === 0 ? character : "";
      row.styles[this.x + i] = this.#style;
    }
    this.x += width;
    this.#last = character;
  }

  /** Adds a mark to the character before. */
  #join(mark) {
    const row = this.#row;
    const x = this.x - (row.cells[this.x - 1] === "" ? 2 : 1);
    if (!row.cells[x] || row.cells[x].length + mark.length > LONGEST_CELL) return;
    row.cells[x] += mark;
  }

  /** The row of the next character, which is the next row if this one is full. */
  #roomFor(width) {
    if (this.x + width > this.#columns) {
      if (this.#wraps) {
        this.#newLine();
        this.#row.isWrapped = true;
      } else this.x = this.#columns - width;
    }
    const row = this.#row;
    row.reach(this.x);
    return row;
  }

  // Control characters and sequences

  #newLine() { this.x = 0; this.#down(); }

  #control(character) {
    switch (character) {
      case "\n": case "\v": case "\f": this.#down(); break;
      case "\r": this.x = 0; break;
      case "\b": this.x = Math.max(0, Math.min(this.x, this.#columns - 1) - 1); break;
      case "\t": this.#tab(1); break;
    }
  }

  /** Moves to another tab stop, to the left for a negative number. The next character may wrap still. */
  #tab(count) {
    const [step, last] = [Math.sign(count), this.#columns - 1];
    if (step > 0 && this.x > last) return;
    this.x = Math.min(this.x, last);
    for (let left = Math.abs(count); left > 0 && this.x !== (step > 0 ? last : 0);) {
      this.x += step;
      if (this.#tabs.get(this.x) ?? (this.#hasFirstTabs && this.x % 8 === 0)) left -= 1;
    }
  }

  get #bounds() { return this.#region ?? [0, this.#height - 1]; }

  /** Moves down, and scrolls at the end of the region. */
  #down() {
    const [first, last] = this.#bounds;
    if (this.y === last) this.#scroll(1, first, last);
    else if (this.y < this.#height - 1) this.y += 1;
    this.#rowAt(this.y);
  }

  #up() {
    const [first, last] = this.#bounds;
    if (this.y === first) this.#scroll(-1, first, last);
    else if (this.y > 0) this.y -= 1;
  }

  /** Moves the rows of a region up, or down if the count is negative. Rows that leave the main screen stay above it. */
  #scroll(count, first, last, keeps = true) {
    const amount = Math.min(Math.abs(count), last - first + 1);
    if (keeps && !this.#isAlternate && count > 0 && first === 0 && last === this.#height - 1) {
      this.#rowAt(last);
      for (let i = 0; i < amount; i += 1) this.rows.push(this.#erasedRow());
      this.top += amount;
      if (this.rows.length > this.#limit * 2) this.#trim(this.#limit);
      return;
    }
    this.#rowAt(last);
    const [gone, fresh] = count > 0 ? [first, last - amount + 1] : [last - amount + 1, first];
    for (const row of this.rows.splice(this.top + gone, amount)) this.#drop(row);
    this.rows.splice(this.top + fresh, 0, ...Array.from({ length: amount }, () => this.#erasedRow()));
    this.#moved = Math.min(this.#moved, this.top + first);
  }

  /** Moves the text of the region's rows to the left for "@", to the right for "A". */
  #scrollSideways(final, count) {
    const [first, last] = this.#bounds;
    const amount = Math.min(count, this.#columns);
    for (let y = first; y <= last; y += 1) {
      const row = this.#rowAt(y);
      if (final === "@") row.remove(0, amount, this.#columns, this.#blank);
      else row.insert(0, amount, this.#columns, this.#blank);
    }
  }

  #erasedRow() {
    const row = new Row();
    if (this.#blank !== PLAIN) row.erase(0, this.#columns, this.#blank);
    return row;
  }

  #escape([, parameters, intermediates, final, letter]) {
    switch (letter) {
      case "7": this.#save(); return;
      case "8": this.#restore(); return;
      case "D": this.#down(); return;
      case "E": this.#newLine(); return;
      case "H": this.#tabs.set(Math.min(this.x, this.#columns - 1), true); return;
      case "M": this.#up(); return;
      case "#8": this.#fill(); return;
    }
    if (final === undefined) return;
    const [mark] = /^[<-?]*/.exec(parameters);
    if (final === "m" && !mark && !intermediates) { this.#rendition(parameters); return; }
    const numbers = parameters.slice(mark.length).split(";").map((digits) => Math.min(9999, parseInt(digits, 10) || 0));
    if (intermediates) {
      const isSideways = intermediates === " " && !mark && (final === "@" || final === "A");
      if (isSideways) this.#scrollSideways(final, numbers[0] || 1);
    } else if (final === "h" || final === "l") {
      for (const number of numbers) this.#mode(mark + number, final === "h");
    } else if (!mark || (mark === "?" && (final === "J" || final === "K"))) {
      this.#function(final, numbers[0], numbers[1] ?? 0);
    }
  }

  #mode(number, isOn) {
    switch (number) {
      case "4": this.#inserts = isOn; break;
      case "?1": this.#sendsApplicationKeys = isOn; break;
      case "?5": this.#isReversed = isOn; break;
      case "?6":
        this.#isOrigin = isOn;
        this.#place(0, 0);
        break;
      case "?7": this.#wraps = isOn; break;
      case "?25": this.#showsCursor = isOn; break;
      case "?47": this.#showAlternate(isOn); break;
      case "?1047":
        if (this.#isAlternate && !isOn) this.#eraseScreen(2);
        this.#showAlternate(isOn);
        break;
      case "?1048": case "?1049":
        if (isOn) this.#save();
        if (number === "?1049") this.#showAlternate(isOn);
        if (!isOn) this.#restore();
        else if (number === "?1049") this.#eraseScreen(2);
        break;
    }
    this.#rowAt(this.y);
  }

  /** Shows the alternate screen in place of the rows of the main one, or that one again. */
  #showAlternate(isOn) {
    if (isOn === this.#isAlternate) return;
    const { rows, saved } = this.#other ?? { rows: [], saved: null };
    this.#other = { rows: this.rows.splice(this.top), saved: this.#saved };
    for (const row of this.#other.rows) this.#drop(row);
    this.rows.push(...rows);
    [this.#saved, this.#isAlternate] = [saved, isOn];
    if (isOn) this.#rowAt(this.#height - 1);
    this.#moved = Math.min(this.#moved, this.top);
  }

  /** Moves to a row and a column. The row may count from the region. */
  #place(row, column) {
    const [first, last] = this.#isOrigin ? this.#bounds : [0, this.#height - 1];
    this.#goTo(Math.min(first + row, last), column);
  }

  #goTo(row, column) {
    this.y = Math.max(0, Math.min(row, this.#height - 1));
    this.x = Math.max(0, Math.min(column, this.#columns - 1));
    this.#rowAt(this.y);
  }

  #function(final, first, second) {
    const [count, columns] = [first || 1, this.#columns];
    const x = Math.min(this.x, columns - 1);
    const [upper, lower] = this.#bounds;
    const up = () => Math.max(this.y - count, this.y >= upper ? upper : 0);
    const down = () => Math.min(this.y + count, this.y <= lower ? lower : this.#height - 1);
    switch (final) {
      case "A": this.#goTo(up(), x); break;
      case "B": this.#goTo(down(), x); break;
      case "C": case "a": this.#goTo(this.y, x + count); break;
      case "D": this.#goTo(this.y, x - count); break;
      case "E": this.#goTo(down(), 0); break;
      case "F": this.#goTo(up(), 0); break;
      case "G": case "`": this.#goTo(this.y, count - 1); break;
      case "H": case "f": this.#place(count - 1, (second || 1) - 1); break;
      case "d": this.#place(count - 1, x); break;
      case "e": this.#goTo(this.y + count, x); break;
      case "I": this.#tab(count); break;
      case "Z": this.#tab(-count); break;
      case "g":
        if (first === 0) this.#tabs.set(x, false);
        if (first === 3) [this.#tabs, this.#hasFirstTabs] = [new Map(), false];
        break;
      case "J": this.#eraseScreen(first); break;
      case "K": this.#eraseLine(first); break;
      case "X": this.#erase(this.y, x, Math.min(x + count, columns)); break;
      case "@": this.#row.insert(x, Math.min(count, columns - x), columns, this.#blank); break;
      case "P": this.#row.remove(x, Math.min(count, columns - x), columns, this.#blank); break;
      case "L": case "M":
        if (this.y < upper || this.y > lower) break;
        this.#scroll(final === "M" ? count : -count, this.y, lower, false);
        this.x = 0;
        break;
      case "S": this.#scroll(count, upper, lower); break;
      case "T": this.#scroll(-count, upper, lower); break;
      case "b": if (this.#last) this.#print(this.#last.repeat(Math.min(count, columns * this.#height))); break;
      case "r": {
        const last = Math.min(second || this.#height, this.#height) - 1;
        if (count - 1 >= last) break;
        this.#region = count === 1 && last === this.#height - 1 ? null : [count - 1, last];
        this.#place(0, 0);
        break;
      }
      case "s": this.#save(); break;
      case "u": this.#restore(); break;
    }
  }

  #erase(y, from, to) {
    const row = this.#rowAt(y);
    if (to === this.#columns) row.end(to);
    row.erase(from, to, this.#blank);
    if (from === 0 && to === this.#columns) row.isWrapped = false;
  }

  #eraseLine(how) {
    const x = Math.min(this.x, this.#columns - 1);
    if (how <= 2) this.#erase(this.y, how === 0 ? x : 0, how === 1 ? x + 1 : this.#columns);
  }

  #eraseScreen(how) {
    if (how > 2) return;
    this.#eraseLine(how);
    const end = this.#blank === PLAIN ? this.rows.length - this.top : this.#height;
    const [from, to] = [how === 0 ? this.y + 1 : 0, how === 1 ? this.y : end];
    for (let y = from; y < to; y += 1) this.#erase(y, 0, this.#columns);
  }

  /** Fills the screen with E. */
  #fill() {
    this.#region = null;
    this.#goTo(0, 0);
    for (let y = 0; y < this.#height; y += 1) {
      const [row, count] = [this.#rowAt(y), this.#columns];
      [row.cells, row.styles, row.isWrapped] = [Array(count).fill("E"), Array(count).fill(PLAIN), false];
    }
  }

  #save() { this.#saved = { x: this.x, y: this.y, pen: this.#pen, isOrigin: this.#isOrigin }; }

  #restore() {
    const { x, y, pen, isOrigin } = this.#saved ?? { x: 0, y: 0, pen: FIRST_PEN, isOrigin: false };
    // The region may be another one than when the row was saved.
    const [first, last] = isOrigin ? this.#bounds : [0, this.#height - 1];
    [this.x, this.y, this.#isOrigin] = [Math.min(x, this.#columns), Math.max(first, Math.min(y, last)), isOrigin];
    this.#setPen(pen);
    this.#rowAt(this.y);
  }

  // Colours and styles

  #rendition(parameters) {
    let { fg, bg, flags } = this.#pen;
    const letters = { 1: "b", 2: "d", 3: "i", 4: "u", 7: "v", 8: "h", 9: "s" };
    const parts = parameters.split(";");
    while (parts.length) {
      const [first, ...rest] = parts.shift().split(":");
      const number = Number(first) || 0;
      if (number === 0) [fg, bg, flags] = [null, null, ""];
      else if (number === 4 && rest[0] === "0") flags = flags.replace("u", "");
      else if (letters[number]) flags = flags.replace(letters[number], "") + letters[number];
      else if (number === 21) flags = flags.replace("u", "") + "u";
      else if (number === 22) flags = flags.replace(/[bd]/g, "");
      else if (number > 22 && letters[number - 20]) flags = flags.replace(letters[number - 20], "");
      else if (number >= 30 && number <= 37) fg = number - 30;
      else if (number >= 90 && number <= 97) fg = number - 82;
      else if (number >= 40 && number <= 47) bg = number - 40;
      else if (number >= 100 && number <= 107) bg = number - 92;
      else if (number === 39) fg = null;
      else if (number === 49) bg = null;
      else if (number === 38 || number === 48) {
        const color = Screen.#color(rest.length ? rest : parts, rest.length > 0);
        if (color === undefined) continue;
        if (number === 38) fg = color; else bg = color;
      }
    }
    this.#setPen({ fg, bg, flags });
  }

  /** Takes the numbers of a colour from the front of an array. With colons, a colour space may be there. */
  static #color(parts, hasColons) {
    const byte = () => Math.min(255, Number(parts.shift()) || 0);
    const kind = Number(parts.shift());
    if (kind === 2) {
      if (hasColons && parts.length > 3) parts.shift();
      return `rgb(${byte()} ${byte()} ${byte()})`;
    }
    if (kind !== 5) return undefined;
    const number = byte();
    if (number < 16) return number;
    if (number > 231) return `rgb(${Array(3).fill(8 + (number - 232) * 10).join(" ")})`;
    const level = (divisor) => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / divisor) % 6];
    return `rgb(${level(36)} ${level(6)} ${level(1)})`;
  }

  #setPen(pen) {
    this.#pen = pen;
    this.#style = this.#styled(pen);
  }

  /** The style of erased cells: they have the background. */
  get #blank() { return this.#pen.bg === null ? PLAIN : this.#styled({ ...FIRST_PEN, bg: this.#pen.bg }); }

  #styled({ fg, bg, flags }) {
    if (fg === null && bg === null && flags === "") return PLAIN;
    const key = `${fg}/${bg}/${flags}`;
    let style = this.#styles.get(key);
    if (style) return style;
    const isInverse = flags.includes("v");
    const [front, back] = isInverse ? [bg, fg ?? "default"] : [fg, bg];
    const names = [...flags.replace(/[vh]/g, "")].map((letter) => `t${letter}`);
    if (back !== null) names.push("on");
    if (back === "default") names.push("inverse");
    if (typeof front === "number") names.push(`f${front}`);
    if (typeof back === "number") names.push(`b${back}`);
    const own = (color) => (typeof color === "string" && color !== "default" ? color : "");
    const color = flags.includes("h") ? "transparent" : own(front);
    style = Object.freeze({ name: names.join(" "), color, background: own(back) });
    // A device can use any number of colours.
    if (this.#styles.size >= 4096) this.#styles.clear();
    this.#styles.set(key, style);
    return style;
  }

  // Drawing

  #trim(limit) {
    const count = this.rows.length - limit;
    if (count <= 0) return;
    for (const row of this.rows.splice(0, count)) this.#drop(row);
    this.top -= count;
    this.#moved = Math.max(0, this.#moved - count);
    this.#seen = Math.max(0, this.#seen - count);
  }

  #drop(row) {
    if (row.node) this.#gone.push(row.node);
    row.node = null;
    this.#dirty.delete(row);
  }

  #schedule() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => this.render());
  }

  /** Draws what has changed since the last time. It is called once for each frame of the display. */
  render() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const element = this.#element;
    element.classList.toggle("inverse", this.#isReversed);
    for (const node of this.#gone) node.remove();
    this.#gone = [];
    const cursorRow = this.#showsCursor ? this.rows[this.top + this.y] : null;
    for (const row of [this.#cursorRow, cursorRow]) if (row) this.#dirty.add(row);
    this.#cursorRow = cursorRow;
    let next = this.rows[this.#moved - 1]?.node?.nextSibling ?? (this.#moved ? null : element.firstChild);
    const isFlood = this.rows.length - this.#seen > FLOOD;
    const [first, latest] = [this.#moved, this.rows.length - DRAWN_IN_FLOOD];
    let later = isFlood ? 0 : DRAWN_LATER;
    this.#seen = this.#moved = this.rows.length;
    for (let index = first; index < this.rows.length; index += 1) {
      const row = this.rows[index];
      if (row.node && row.node === next) { next = next.nextSibling; continue; }
      if (!row.node) {
        if (index < latest && later === 0) {
          this.#moved = Math.min(this.#moved, index);
          continue;
        }
        later -= index < latest ? 1 : 0;
        row.node = document.createElement("div");
        this.#dirty.add(row);
      }
      element.insertBefore(row.node, next);
    }
    if (this.#moved < this.rows.length) this.#schedule();
    for (const row of this.#dirty) if (row.node) this.#draw(row);
    this.#dirty.clear();
    if (this.#follows) {
      element.scrollTop = element.scrollHeight;
      this.#scrollTop = element.scrollTop;
    }
  }

  #draw(row) {
    const { cells, styles, node } = row;
    const cursor = row === this.#cursorRow ? Math.min(this.x, this.#columns - 1) : -1;
    const parts = [];
    let [text, style] = ["", PLAIN];
    const span = (string, { name, color, background }, extra = "") => {
      const part = document.createElement("span");
      part.className = extra ? `${name} ${extra}`.trim() : name;
      part.textContent = string;
      if (color) part.style.color = color;
      if (background) part.style.background = background;
      parts.push(part);
    };
    const finish = () => {
      if (text && style === PLAIN) parts.push(text);
      else if (text) span(text, style);
      text = "";
    };
    for (let x = 0; x < Math.max(cells.length, cursor + 1); x += 1) {
      const cell = cells[x] ?? " ";
      const isWide = cells[x + 1] === "";
      if (cell === "") continue;
      const isHere = x === cursor || (isWide && x + 1 === cursor);
      if (isHere || isWide) {
        finish();
        span(cell, styles[x] ?? PLAIN, `${isWide ? "wide" : ""} ${isHere ? "cursor" : ""}`.trim());
        continue;
      }
      const own = styles[x] ?? PLAIN;
      if (own !== style) { finish(); style = own; }
      text += cell;
    }
    finish();
    node.className = row.isWrapped ? "row wrapped" : "row";
    node.replaceChildren(...parts);
  }
}

/** The selected text of rows, with the parts of wrapped lines joined. Null if nothing of the element is selected. */
export function selectedText(element) {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.commonAncestorContainer)) return null;
  let text = "";
  for (const node of range.cloneContents().childNodes) {
    const isRow = node.nodeType === 1 && node.classList.contains("row");
    if (text && isRow) text = text.trimEnd() + (node.classList.contains("wrapped") ? "" : "\n");
    text += node.textContent;
  }
  return text;
}
