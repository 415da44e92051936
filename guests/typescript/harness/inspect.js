// Inspect: values as text for a person or a model to read. It shows whatever there is and never
// throws; what it leaves out it says.

const MAX_INSPECT_DEPTH = 8;
const MAX_INSPECT_ITEMS = 200;

const formatError = (error) => {
  const name = text(error.name);
  const message = text(error.message);
  return message === '' ? name : `${name}: ${message}`;
};

class Inspector {
  open = new NativeMap();
  seen = undefined; // told of the promise that was shown last

  constructor(seen) {
    this.seen = seen;
  }

  show(value, depth) {
    switch (typeof value) {
      case 'string':
        return quote(value);
      case 'bigint':
        return `${value}n`;
      case 'function':
        return `[Function ${text(value.name) || 'anonymous'}]`;
      case 'object':
        return value === null ? 'null' : this.showObject(value, depth);
    }
    return text(value);
  }

  showObject(value, depth) {
    if (mapHas(this.open, value)) return '[Circular]';
    const kind = kindOf(value);
    if (depth >= MAX_INSPECT_DEPTH && kind !== 'date') return kind === 'array' ? '[Array]' : '[Object]';
    mapSet(this.open, value, true);
    const output = this.showKind(value, kind, depth);
    mapDelete(this.open, value);
    return output;
  }

  showKind(value, kind, depth) {
    switch (kind) {
      case 'array':
      case 'typed array':
        return this.showList(value, depth);
      case 'set':
        return `Set ${this.showEach(value, setForEach, (item) => this.show(item, depth + 1))}`;
      case 'map':
        return `Map ${this.showEach(
          value,
          mapForEach,
          (item, key) => `${this.show(key, depth + 1)} => ${this.show(item, depth + 1)}`,
        )}`;
      case 'error':
        return formatError(value);
      case 'promise':
        if (this.seen !== undefined) this.seen.promise = value;
        return 'Promise {}';
      case 'date':
        return value - value === 0 ? quote(toISOString(value)) : 'Invalid Date';
      case 'text':
        return text(value);
    }
    return this.showProperties(value, depth);
  }

  showList(list, depth) {
    let output = '[';
    const count = list.length < MAX_INSPECT_ITEMS ? list.length : MAX_INSPECT_ITEMS;
    for (let i = 0; i < count; i++) output += (i > 0 ? ',' : '') + this.show(list[i], depth + 1);
    return output + (list.length > count ? `, … ${list.length - count} more]` : ']');
  }

  showEach(collection, forEach, item) {
    let output = '{';
    let count = 0;
    forEach(collection, (value, key) => {
      if (count++ < MAX_INSPECT_ITEMS) output += (count > 1 ? ',' : '') + item(value, key);
    });
    return output + (count > MAX_INSPECT_ITEMS ? `, … ${count - MAX_INSPECT_ITEMS} more}` : '}');
  }

  showProperties(value, depth) {
    const keys = objectKeys(value);
    let output = '{';
    for (let i = 0; i < keys.length && i < MAX_INSPECT_ITEMS; i++) {
      output += (i > 0 ? ',' : '') + quote(keys[i]) + ':' + this.show(value[keys[i]], depth + 1);
    }
    return output + (keys.length > MAX_INSPECT_ITEMS ? `, … ${keys.length - MAX_INSPECT_ITEMS} more}` : '}');
  }
}
seal(Inspector);

const inspect = (value, seen) => {
  if (typeof value === 'string') return value;
  try {
    return new Inspector(seen).show(value, 0);
  } catch (error) {
    return '[a value that cannot be shown]';
  }
};
