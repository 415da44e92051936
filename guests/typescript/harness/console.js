// Console: every line leaves the guest as it is written, so that none is lost when it is stopped.

const asNumber = (value) =>
  typeof value === 'string' || typeof value === 'number' ? toNumber(value) : NaN;
const asJson = (value, seen) => (typeof value === 'string' ? quote(value) : inspect(value, seen));
const FORMATS = {
  __proto__: null,
  s: inspect,
  j: asJson,
  o: asJson,
  O: asJson,
  c: () => '', // CSS
  d: (value) => (typeof value === 'bigint' ? `${value}n` : text(asNumber(value))),
  i: (value) => (typeof value === 'bigint' ? `${value}n` : text(truncate(asNumber(value)))),
  f: (value) => text(asNumber(value)),
};

// A line with its %s and the like filled in from the values behind it, as far as they go.
const formatLine = (values, seen) => {
  let line = '';
  let next = 0;
  if (values.length > 1 && typeof values[0] === 'string') {
    const format = values[next++];
    for (let i = 0; i < format.length; i++) {
      const show = format[i] === '%' ? FORMATS[format[i + 1]] : undefined;
      if (format[i] === '%' && format[i + 1] === '%') line += format[i++];
      else if (show === undefined || next === values.length) line += format[i];
      else {
        line += show(values[next++], seen);
        i++;
      }
    }
  }
  for (; next < values.length; next++) line += (next > 0 ? ' ' : '') + inspect(values[next], seen);
  return line;
};

const makeConsole = () => {
  const console = {};
  const counts = new NativeMap();
  const starts = new NativeMap();
  let indent = '';
  const write = (level, line) => void host.log(level, indent + line);
  const add = (name, method) => define(name, method, console);
  const levels = ['debug', 'error', 'info', 'log', 'trace', 'warn'];
  for (let i = 0; i < levels.length; i++) {
    add(levels[i], (...values) => write(levels[i], formatLine(values)));
  }
  add('dir', (value) => write('log', inspect(value)));
  add('table', (value) => write('log', inspect(value)));
  add('assert', (condition, ...values) => {
    if (!condition) write('error', 'Assertion failed: ' + formatLine(values));
  });
  add('count', (label = 'default') => {
    const count = (mapGet(counts, label) ?? 0) + 1;
    mapSet(counts, label, count);
    write('info', `${label}: ${count}`);
  });
  add('countReset', (label = 'default') => void mapDelete(counts, label));
  add('group', (...values) => {
    if (values.length > 0) write('log', formatLine(values));
    indent += '  ';
  });
  add('groupCollapsed', console.group);
  add('groupEnd', () => void (indent = stringSlice(indent, 2)));
  add('time', (label = 'default') => void mapSet(starts, label, dateNow()));
  const sayTime = (label = 'default') =>
    write('info', `${label}: ${dateNow() - (mapGet(starts, label) ?? dateNow())} ms`);
  add('timeLog', sayTime);
  add('timeEnd', (label = 'default') => {
    sayTime(label);
    mapDelete(starts, label);
  });
  return console;
};
define('console', makeConsole());

// text(...) is the program's output, a line each. Like its value, it has no promises in it.
define('text', (...values) => {
  const seen = { __proto__: null, promise: undefined };
  const line = formatLine(values, seen);
  if (seen.promise !== undefined) {
    throw unawaitedIn('text', unawaited('show a promise to the model', seen.promise));
  }
  host.log('text', line);
});
