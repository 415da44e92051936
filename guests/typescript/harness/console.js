// Console: every line leaves the guest as it is written, so that none is lost when it is stopped.

const shownLine = (values) => {
  let line = '';
  for (let i = 0; i < values.length; i++) line += (i > 0 ? ' ' : '') + inspect(values[i]);
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
    add(levels[i], (...values) => write(levels[i], shownLine(values)));
  }
  add('dir', (value) => write('log', inspect(value)));
  add('table', (value) => write('log', inspect(value)));
  add('assert', (condition, ...values) => {
    if (!condition) write('error', 'Assertion failed: ' + shownLine(values));
  });
  add('count', (label = 'default') => {
    const count = (mapGet(counts, label) ?? 0) + 1;
    mapSet(counts, label, count);
    write('info', `${label}: ${count}`);
  });
  add('countReset', (label = 'default') => void mapDelete(counts, label));
  add('group', (...values) => {
    if (values.length > 0) write('log', shownLine(values));
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

// text(...) is the program's output, a line each.
define('text', (...values) => void host.log('text', shownLine(values)));
