// Encoding: TextEncoder and TextDecoder, for UTF-8.

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(input = '') {
    const bytes = [];
    for (const character of String(input).toWellFormed()) {
      const point = character.codePointAt(0);
      if (point < 0x80) bytes.push(point);
      else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
      else if (point < 0x10000) {
        bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      } else {
        bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63));
        bytes.push(0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      }
    }
    return new NativeUint8Array(bytes);
  }

  encodeInto(input, target) {
    let read = 0;
    let written = 0;
    for (const character of String(input)) {
      const bytes = this.encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

const UTF8_LABELS = ['utf-8', 'utf8', 'unicode-1-1-utf-8'];

class TextDecoder {
  #fatal;
  #ignoreBOM;
  #rest = [];

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!UTF8_LABELS.includes(String(label).trim().toLowerCase())) {
      throw new RangeError(`TextDecoder: only utf-8 is available, not ${label}`);
    }
    this.#fatal = fatal;
    this.#ignoreBOM = ignoreBOM;
  }

  get encoding() {
    return 'utf-8';
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#ignoreBOM;
  }

  decode(input = new NativeUint8Array(), { stream = false } = {}) {
    const view = ArrayBuffer.isView(input)
      ? new NativeUint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new NativeUint8Array(input);
    const bytes = this.#rest.length > 0 ? [...this.#rest, ...view] : view;
    this.#rest = [];
    let decoded = '';
    for (let i = 0; i < bytes.length; ) {
      const [point, length] = this.#next(bytes, i);
      if (point === undefined && stream) {
        this.#rest = [...bytes.slice(i)];
        break;
      }
      if (point === undefined || point < 0) {
        if (this.#fatal) throw new NativeTypeError('TextDecoder: the data is not valid utf-8');
        decoded += '\ufffd';
      } else if (point !== 0xfeff || i > 0 || this.#ignoreBOM) {
        decoded += String.fromCodePoint(point);
      }
      i += length;
    }
    return decoded;
  }

  // The code point at a place and its length; -1 if it is none, undefined if it is cut off.
  #next(bytes, at) {
    const first = bytes[at];
    if (first < 0x80) return [first, 1];
    const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return [-1, 1];
    let point = first & (0x7f >> size);
    for (let i = 1; i < size; i++) {
      const byte = bytes[at + i];
      if (byte === undefined) return [undefined, i];
      const low = i === 1 ? { 0xe0: 0xa0, 0xf0: 0x90 }[first] ?? 0x80 : 0x80;
      const high = i === 1 ? { 0xed: 0x9f, 0xf4: 0x8f }[first] ?? 0xbf : 0xbf;
      if (byte < low || byte > high) return [-1, i];
      point = (point << 6) | (byte & 63);
    }
    return [point, size];
  }
}

define('TextEncoder', TextEncoder);
define('TextDecoder', TextDecoder);
