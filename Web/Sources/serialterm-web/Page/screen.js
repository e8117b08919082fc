"use strict";

// A terminal as text: rows in an element, which can be selected, searched and read aloud. It shows what the filter of
// serialterm lets pass: text, colours, and motions of the cursor. Everything from the device becomes a text node.

/* exported Screen */
class Screen {
  static #graphics = new Map([..."`abcdefghijklmnopqrstuvwxyz{|}~"].map(
    (letter, index) => [letter, [..."◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"][index]]));
  static #wide = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
  static #joining = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

  #element;
  #rows = [];
  // The index of the row at the top of the screen, which is its last rows.
  #base = 0;
  #x = 0;
  #y = 0;
  #style = "";
  #attributes = {};
  #saved = null;
  #region;
  #wraps = true;
  // The next character begins a new row.
  #isFull = false;
  #drawsLines = false;
  #pending = "";
  #dirty = new Set();
  #isScheduled = false;

  constructor(element, { height = 24, width = 80, limit = 5000 } = {}) {
    this.#element = element;
    this.height = height;
    this.width = width;
    this.limit = limit;
    this.clear();
  }

  /// The rows as text, without spaces at their ends.
  get lines() {
    return this.#rows.map(row => row.cells.join("").trimEnd());
  }

  get cursor() {
    return [this.#base + this.#y, this.#x];
  }

  clear() {
    this.#element.replaceChildren();
    this.#rows = [];
    this.#dirty.clear();
    [this.#base, this.#x, this.#y, this.#pending] = [0, 0, 0, ""];
    [this.#style, this.#attributes, this.#saved] = ["", {}, null];
    [this.#region, this.#wraps, this.#isFull, this.#drawsLines] = [null, true, false, false];
    this.#row();
  }

  /// Adds a line of the page itself, which the device cannot write.
  note(text) {
    if (this.#row().cells.length > 0) this.#newLine();
    this.#x = 0;
    const style = this.#style;
    this.#style = "note";
    this.#print(text);
    this.#style = style;
    this.#newLine();
    this.#x = 0;
    this.#schedule();
  }

  write(text) {
    text = this.#pending + text;
    this.#pending = "";
    let position = 0;
    while (position < text.length) {
      const code = text.charCodeAt(position);
      if (code >= 0x20 && code !== 0x7f) {
        let end = position + 1;
        while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) !== 0x7f) end++;
        this.#print(text.slice(position, end));
        position = end;
      } else if (code === 0x1b) {
        const length = this.#escape(text, position);
        if (length === 0) {
          this.#pending = text.slice(position, position + 64);
          break;
        }
        position += length;
      } else {
        this.#control(code);
        position++;
      }
    }
    this.#schedule();
  }

  // Rows

  #row(y = this.#y) {
    while (this.#rows.length <= this.#base + y) {
      const row = { cells: [], styles: [], element: null };
      this.#rows.push(row);
      this.#dirty.add(row);
    }
    return this.#rows[this.#base + y];
  }

  get #top() { return this.#region ? this.#region[0] : 0; }
  get #bottom() { return this.#region ? this.#region[1] : this.height - 1; }

  #newLine() {
    this.#isFull = false;
    if (this.#y === this.#bottom) this.#scroll(1);
    else if (this.#y < this.height - 1) this.#y++;
    this.#row();
  }

  #scroll(count) {
    if (count > 0 && !this.#region) {
      for (let index = 0; index < count; index++) {
        this.#base++;
        this.#row(this.height - 1);
      }
      while (this.#rows.length > this.limit) {
        const row = this.#rows.shift();
        row.element?.remove();
        this.#dirty.delete(row);
        this.#base--;
      }
    } else {
      this.#shift(this.#top, count);
    }
  }

  /// Moves the contents of the rows from one to the bottom of the region up, or down if the count is negative.
  #shift(from, count) {
    const bottom = this.#bottom;
    this.#row(bottom);
    const rows = this.#rows.slice(this.#base + from, this.#base + bottom + 1);
    const contents = rows.map(row => [row.cells, row.styles]);
    rows.forEach((row, index) => {
      [row.cells, row.styles] = contents[index + count] ?? [[], []];
      this.#dirty.add(row);
    });
    // Two rows must not share one array.
    const empty = Math.min(Math.abs(count), rows.length);
    for (const row of count > 0 ? rows.slice(rows.length - empty) : rows.slice(0, empty)) [row.cells, row.styles] = [[], []];
  }

  // Text

  #print(text) {
    for (const character of text) {
      if (Screen.#joining.test(character)) {
        this.#join(character);
        continue;
      }
      const width = character > "\u10ff" && Screen.#wide.test(character) ? 2 : 1;
      if (this.#isFull || this.#x + width > this.width) {
        if (this.#wraps) {
          this.#newLine();
          this.#x = 0;
        } else {
          this.#x = this.width - width;
        }
        this.#isFull = false;
      }
      const row = this.#row();
      while (row.cells.length < this.#x) {
        row.cells.push(" ");
        row.styles.push("");
      }
      row.cells[this.#x] = this.#drawsLines ? Screen.#graphics.get(character) ?? character : character;
      row.styles[this.#x] = this.#style;
      if (width === 2) {
        row.cells[this.#x + 1] = "";
        row.styles[this.#x + 1] = this.#style;
      }
      this.#dirty.add(row);
      this.#x += width;
      if (this.#x >= this.width) [this.#x, this.#isFull] = [this.width - 1, true];
    }
  }

  #join(character) {
    const row = this.#row();
    const place = this.#isFull ? this.#x : this.#x - 1;
    const cell = row.cells[place] === "" ? place - 1 : place;
    if (row.cells[cell] === undefined || row.cells[cell].length > 16) return;
    row.cells[cell] += character;
    this.#dirty.add(row);
  }

  #control(code) {
    switch (code) {
      case 0x08:
        this.#isFull = false;
        this.#x = Math.max(0, this.#x - 1);
        break;
      case 0x09:
        this.#x = Math.min(this.width - 1, (Math.floor(this.#x / 8) + 1) * 8);
        break;
      case 0x0a: case 0x0b: case 0x0c: this.#newLine(); break;
      case 0x0d:
        this.#isFull = false;
        this.#x = 0;
        break;
      case 0x0e: this.#drawsLines = true; break;
      case 0x0f: this.#drawsLines = false; break;
    }
  }

  // Sequences

  /// Performs the sequence at a position. Returns its length; 0 if it is not complete.
  #escape(text, position) {
    const rest = text.slice(position, position + 65);
    if (rest.length < 2) return 0;
    if (rest[1] === "[") {
      const match = /^\x1b\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])/.exec(rest);
      if (match) {
        this.#sequence(match[1], match[2]);
        return match[0].length;
      }
      return /^\x1b\[[\x20-\x3f]*$/.test(rest) && rest.length < 64 ? 0 : 2;
    }
    if ("()".includes(rest[1])) {
      if (rest.length < 3) return 0;
      if (rest[1] === "(") this.#drawsLines = rest[2] === "0";
      return 3;
    }
    switch (rest[1]) {
      case "7": this.#save(); break;
      case "8": this.#restore(); break;
      case "D": this.#newLine(); break;
      case "E":
        this.#newLine();
        this.#x = 0;
        break;
      case "M":
        this.#isFull = false;
        if (this.#y === this.#top) this.#shift(this.#top, -1);
        else this.#y = Math.max(0, this.#y - 1);
        break;
    }
    return 2;
  }

  #save() {
    this.#saved = [this.#x, this.#y, { ...this.#attributes }, this.#style, this.#drawsLines];
  }

  #restore() {
    [this.#x, this.#y, this.#attributes, this.#style, this.#drawsLines] = this.#saved ?? [0, 0, {}, "", false];
    this.#attributes = { ...this.#attributes };
    this.#isFull = false;
  }

  #sequence(parameters, final) {
    if (/^[<=>?]/.test(parameters)) {
      if (parameters === "?7") this.#wraps = final === "h";
      return;
    }
    const numbers = parameters.split(/[;:]/).map(text => Math.min(Number(text) || 0, 9999));
    const count = Math.max(1, numbers[0]);
    if (final === "m") return this.#colour(numbers);
    this.#isFull = false;
    const row = this.#row();
    switch (final) {
      case "A": this.#y = Math.max(this.#y >= this.#top ? this.#top : 0, this.#y - count); break;
      case "B": case "e": this.#y = Math.min(this.#y <= this.#bottom ? this.#bottom : this.height - 1, this.#y + count); break;
      case "C": case "a": this.#x = Math.min(this.width - 1, this.#x + count); break;
      case "D": this.#x = Math.max(0, this.#x - count); break;
      case "E":
        this.#y = Math.min(this.#bottom, this.#y + count);
        this.#x = 0;
        break;
      case "F":
        this.#y = Math.max(this.#top, this.#y - count);
        this.#x = 0;
        break;
      case "G": case "`": this.#x = Math.min(this.width, count) - 1; break;
      case "d": this.#y = Math.min(this.height, count) - 1; break;
      case "H": case "f":
        this.#y = Math.min(this.height, count) - 1;
        this.#x = Math.min(this.width, Math.max(1, numbers[1] ?? 1)) - 1;
        break;
      case "J": this.#eraseRows(numbers[0]); break;
      case "K": this.#eraseCells(row, ...[[this.#x, this.width], [0, this.#x + 1], [0, this.width]][numbers[0]] ?? [0, 0]); break;
      case "X": this.#eraseCells(row, this.#x, Math.min(this.width, this.#x + count)); break;
      case "P":
        row.cells.splice(this.#x, count);
        row.styles.splice(this.#x, count);
        break;
      case "@": {
        const blanks = Math.min(count, this.width - this.#x);
        while (row.cells.length < this.#x) {
          row.cells.push(" ");
          row.styles.push("");
        }
        row.cells.splice(this.#x, 0, ...Array(blanks).fill(" "));
        row.styles.splice(this.#x, 0, ...Array(blanks).fill(""));
        row.cells.length = row.styles.length = Math.min(row.cells.length, this.width);
        break;
      }
      case "L": case "M":
        if (this.#y >= this.#top && this.#y <= this.#bottom) {
          this.#shift(this.#y, (final === "M" ? 1 : -1) * Math.min(count, this.height));
          this.#x = 0;
        }
        break;
      case "S": this.#scroll(Math.min(count, this.height)); break;
      case "T": this.#shift(this.#top, -Math.min(count, this.height)); break;
      case "r": {
        const bottom = Math.min(this.height, numbers[1] || this.height);
        this.#region = count < bottom ? [count - 1, bottom - 1] : null;
        if (this.#region && count === 1 && bottom === this.height) this.#region = null;
        [this.#x, this.#y] = [0, 0];
        break;
      }
      case "s": this.#save(); break;
      case "u": this.#restore(); break;
    }
    this.#dirty.add(row);
    this.#row();
  }

  #eraseCells(row, from, to) {
    if (to >= row.cells.length) {
      row.cells.length = row.styles.length = Math.min(row.cells.length, from);
    } else {
      row.cells.fill(" ", from, to);
      row.styles.fill("", from, to);
    }
    this.#dirty.add(row);
  }

  #eraseRows(what) {
    if (what > 2) return;
    const [from, to] = [[this.#y, this.height], [0, this.#y + 1], [0, this.height]][what];
    for (let y = from; y < to; y++) {
      if (this.#base + y >= this.#rows.length) break;
      const [left, right] = y !== this.#y || what === 2 ? [0, this.width] : what === 0 ? [this.#x, this.width] : [0, this.#x + 1];
      this.#eraseCells(this.#rows[this.#base + y], left, right);
    }
  }

  #colour(numbers) {
    const attributes = this.#attributes;
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index];
      if (number === 0) for (const name of Object.keys(attributes)) delete attributes[name];
      else if (number === 1) attributes.bold = true;
      else if (number === 2) attributes.dim = true;
      else if (number === 3) attributes.italic = true;
      else if (number === 4) attributes.underline = true;
      else if (number === 7) attributes.inverse = true;
      else if (number === 9) attributes.struck = true;
      else if (number === 22) delete attributes.bold, delete attributes.dim;
      else if (number === 23) delete attributes.italic;
      else if (number === 24) delete attributes.underline;
      else if (number === 27) delete attributes.inverse;
      else if (number === 29) delete attributes.struck;
      else if (number === 39) delete attributes.front;
      else if (number === 49) delete attributes.back;
      else if (number >= 30 && number <= 37) attributes.front = `${number - 30}`;
      else if (number >= 40 && number <= 47) attributes.back = `${number - 40}`;
      else if (number >= 90 && number <= 97) attributes.front = `${number - 82}`;
      else if (number >= 100 && number <= 107) attributes.back = `${number - 92}`;
      else if (number === 38 || number === 48) {
        const name = number === 38 ? "front" : "back";
        if (numbers[index + 1] === 5) {
          attributes[name] = Screen.#indexed(numbers[index + 2] ?? 0);
          index += 2;
        } else if (numbers[index + 1] === 2) {
          attributes[name] = `rgb(${[2, 3, 4].map(offset => Math.min(255, numbers[index + offset] ?? 0)).join(",")})`;
          index += 4;
        }
      }
    }
    this.#style = Object.entries(attributes).map(([name, value]) => `${name}=${value}`).sort().join(";");
  }

  static #indexed(number) {
    if (number < 16) return `${number}`;
    if (number >= 232) return `rgb(${Array(3).fill(Math.min(255, 8 + (number - 232) * 10)).join(",")})`;
    const level = value => value === 0 ? 0 : 55 + value * 40;
    const cube = number - 16;
    return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
  }

  // Drawing

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // A page in the background draws nothing until it is seen again.
    requestAnimationFrame(() => this.draw());
  }

  /// Brings the element up to date.
  draw() {
    this.#isScheduled = false;
    const view = this.#element;
    const follows = view.scrollHeight - view.scrollTop - view.clientHeight < 40;
    let before = view.lastElementChild;
    for (let index = this.#rows.length - 1; index >= 0 && !this.#rows[index].element; index--) before = null;
    if (!before) {
      const made = document.createDocumentFragment();
      for (const row of this.#rows) {
        if (row.element) continue;
        row.element = document.createElement("div");
        made.append(row.element);
      }
      view.append(made);
    }
    for (const row of this.#dirty) this.#drawRow(row);
    this.#dirty.clear();
    if (follows) view.scrollTop = view.scrollHeight;
  }

  #drawRow(row) {
    if (!row.element) return;
    const parts = [];
    let start = 0;
    for (let index = 1; index <= row.cells.length; index++) {
      if (index < row.cells.length && (row.styles[index] ?? "") === (row.styles[start] ?? "")) continue;
      const text = row.cells.slice(start, index).join("");
      parts.push(row.styles[start] ? this.#span(text, row.styles[start]) : text);
      start = index;
    }
    // An empty row has its height.
    row.element.replaceChildren(...parts.length ? parts : ["\n"]);
  }

  #span(text, style) {
    const span = document.createElement("span");
    span.textContent = text;
    if (style === "note") {
      span.className = "note";
      return span;
    }
    const values = Object.fromEntries(style.split(";").map(part => part.split("=")));
    for (const name of ["bold", "dim", "italic", "underline", "struck"]) if (values[name]) span.classList.add(name);
    let [front, back] = [values.front, values.back];
    if (values.inverse) [front, back] = [back ?? "back", front ?? "front"];
    const colour = name => name.startsWith("rgb") ? name : `var(--c-${name})`;
    if (front) span.style.color = colour(front);
    if (back) span.style.backgroundColor = colour(back);
    return span;
  }
}
