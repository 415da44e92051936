// Inspect: values as text for a person or a model to read. It shows whatever there is and never
// throws; what it leaves out it says.

const SHOWN_DEPTH = 8;
const SHOWN_ITEMS = 200;

const shownError = (error) => {
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
    if (depth >= SHOWN_DEPTH && kind !== 'date') return kind === 'array' ? '[Array]' : '[Object]';
    mapSet(this.open, value, true);
    const shown = this.showKind(value, kind, depth);
    mapDelete(this.open, value);
    return shown;
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
        return shownError(value);
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
    let shown = '[';
    const count = list.length < SHOWN_ITEMS ? list.length : SHOWN_ITEMS;
    for (let i = 0; i < count; i++) shown += (i > 0 ? ',' : '') + this.show(list[i], depth + 1);
    return shown + (list.length > count ? `, … ${list.length - count} more]` : ']');
  }

  showEach(collection, forEach, item) {
    let shown = '{';
    let count = 0;
    forEach(collection, (value, key) => {
      if (count++ < SHOWN_ITEMS) shown += (count > 1 ? ',' : '') + item(value, key);
    });
    return shown + (count > SHOWN_ITEMS ? `, … ${count - SHOWN_ITEMS} more}` : '}');
  }

  showProperties(value, depth) {
    const keys = objectKeys(value);
    let shown = '{';
    for (let i = 0; i < keys.length && i < SHOWN_ITEMS; i++) {
      shown += (i > 0 ? ',' : '') + quote(keys[i]) + ':' + this.show(value[keys[i]], depth + 1);
    }
    return shown + (keys.length > SHOWN_ITEMS ? `, … ${keys.length - SHOWN_ITEMS} more}` : '}');
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
