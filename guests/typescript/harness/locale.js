// Locale: toLocaleString and localeCompare as en-US has them, in UTC, whatever locale is asked for.

const SYMBOLS = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩' };
Object.assign(SYMBOLS, { CAD: 'CA$', AUD: 'A$', NZD: 'NZ$', MXN: 'MX$', BRL: 'R$', ILS: '₪' });
const WHOLE = ['JPY', 'KRW'];
const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

const groupDigits = (digits) => {
  const groups = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
};

const fractionDigits = (options) => {
  const { style, currency } = options;
  const usual =
    style === 'currency' ? (WHOLE.includes(currency?.toUpperCase()) ? [0, 0] : [2, 2]) : [0, style === 'percent' ? 0 : 3];
  const least = options.minimumFractionDigits ?? Math.min(usual[0], options.maximumFractionDigits ?? 20);
  const most = options.maximumFractionDigits ?? Math.max(usual[1], least);
  if (!(least >= 0 && most <= 100 && least <= most)) {
    throw new RangeError('toLocaleString: the numbers of fraction digits do not fit');
  }
  return [least, most];
};

// Halves away from zero, as en-US rounds; toFixed alone would round 1.005's binary value.
const roundTo = (number, digits) => {
  if (number >= 2 ** 53) return spelled(number); // an integer
  const scaled = Math.round(shift(number, digits));
  return scaled < 2 ** 53 ? shift(scaled, -digits).toFixed(digits) : number.toFixed(digits);
};

const spelled = (integer) => {
  const [mantissa, exponent = '0'] = String(integer).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
};

// Times a power of ten, in decimal: 1.255 * 100 is less than 125.5.
const shift = (number, digits) => {
  if (number === Infinity) return number;
  const [mantissa, exponent = '0'] = String(number).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
};

const formatDigits = (number, options) => {
  if (options.maximumSignificantDigits !== undefined) {
    return formatDigits(Number(number.toPrecision(options.maximumSignificantDigits)), {
      ...options,
      maximumSignificantDigits: undefined,
      maximumFractionDigits: 20,
    });
  }
  const [least, most] = fractionDigits(options);
  let [whole, fraction = ''] = roundTo(number, most).split('.');
  while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  whole = whole.padStart(options.minimumIntegerDigits ?? 1, '0');
  if (options.useGrouping !== false) whole = groupDigits(whole);
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

const compactDigits = (number, options) => {
  const [size, unit] = UNITS.find(([least]) => number >= least * 0.9995) ?? [1, ''];
  const scaled = number / size;
  const digits = options.maximumFractionDigits ?? (scaled < 9.95 ? 1 : 0);
  return formatDigits(scaled, { ...options, minimumFractionDigits: 0, maximumFractionDigits: digits }) + unit;
};

const signOf = (number, signDisplay) => {
  if (signDisplay === 'never') return '';
  if (number < 0 || Object.is(number, -0)) return '-';
  return signDisplay === 'always' || (signDisplay === 'exceptZero' && number > 0) ? '+' : '';
};

const formatNumber = (number, options = {}) => {
  const { style = 'decimal', notation, signDisplay } = options;
  const currency = options.currency?.toUpperCase();
  if (Number.isNaN(number)) return 'NaN';
  const sign = signOf(number, signDisplay);
  const size = shift(Math.abs(number), style === 'percent' ? 2 : 0);
  let formatted = size === Infinity ? '∞' : (notation === 'compact' ? compactDigits : formatDigits)(size, options);
  if (style === 'percent') formatted += '%';
  if (style === 'currency') {
    if (typeof currency !== 'string') throw new NativeTypeError('toLocaleString: which currency?');
    formatted = (SYMBOLS[currency] ?? `${currency}\u00a0`) + formatted;
  }
  return sign + formatted;
};

define('toLocaleString', function toLocaleString(locales, options) {
  return formatNumber(Number(this), options);
}, Number.prototype);
define('toLocaleString', function toLocaleString(locales, options) {
  if (options !== undefined) return formatNumber(Number(this), options);
  return this < 0n ? `-${groupDigits(String(-this))}` : groupDigits(String(this));
}, BigInt.prototype);

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July'].concat([
  'August', 'September', 'October', 'November', 'December',
]);
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DATE_STYLES = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const TIME_STYLES = {
  full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
  long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  short: { hour: 'numeric', minute: '2-digit' },
};
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['hour', 'minute', 'second', 'timeZoneName'];
const UTC_NAMES = ['UTC', 'ETC/UTC', 'GMT', 'ETC/GMT', '+00:00'];

const digits = (number, style) => (style === '2-digit' ? String(number % 100).padStart(2, '0') : String(number));

const formatDate = (date, options) => {
  const { weekday, year, month, day } = options;
  const names = { long: (name) => name, short: (name) => name.slice(0, 3), narrow: (name) => name[0] };
  const weekdayText = weekday && names[weekday](DAYS[date.getUTCDay()]);
  const yearText = year && digits(date.getUTCFullYear(), year);
  const number = day && digits(date.getUTCDate(), day);
  if (month in names) {
    const monthAndDay = [names[month](MONTHS[date.getUTCMonth()]), number].filter(Boolean).join(' ');
    const parts = number ? [weekdayText, monthAndDay, yearText] : [weekdayText, [monthAndDay, yearText].filter(Boolean).join(' ')];
    return parts.filter(Boolean).join(', ');
  }
  const numeric = [month && digits(date.getUTCMonth() + 1, month), number, yearText];
  return [weekdayText, numeric.filter(Boolean).join('/')].filter(Boolean).join(', ');
};

const formatTime = (date, options) => {
  const { hour, minute, second, timeZoneName } = options;
  const half = !(options.hour12 === false || options.hourCycle === 'h23');
  const hours = date.getUTCHours();
  const two = (number) => String(number).padStart(2, '0');
  const hourText = half ? digits(hours % 12 || 12, hour) : two(hours);
  const parts = [hour && hourText, minute && two(date.getUTCMinutes()), second && two(date.getUTCSeconds())];
  const clock = parts.filter(Boolean).join(':');
  const suffix = hour && half ? (hours < 12 ? ' AM' : ' PM') : '';
  return clock + suffix + (timeZoneName ? (timeZoneName === 'long' ? ' Coordinated Universal Time' : ' UTC') : '');
};

const localeDate = (date, options = {}, defaultFields) => {
  const zone = options.timeZone;
  if (zone !== undefined && !UTC_NAMES.includes(String(zone).toUpperCase())) {
    throw new RangeError(`only UTC is available here, not ${zone}`);
  }
  if (Number.isNaN(date.getTime())) return 'Invalid Date';
  let chosen = { ...options, ...DATE_STYLES[options.dateStyle], ...TIME_STYLES[options.timeStyle] };
  if (![...DATE_FIELDS, ...TIME_FIELDS].some((field) => chosen[field] !== undefined)) {
    const usualDate = defaultFields.includes('date') && { year: 'numeric', month: 'numeric', day: 'numeric' };
    chosen = { ...chosen, ...usualDate, ...(defaultFields.includes('time') && TIME_STYLES.medium) };
  }
  const parts = [];
  if (DATE_FIELDS.some((field) => chosen[field])) parts.push(formatDate(date, chosen));
  if (TIME_FIELDS.some((field) => chosen[field])) parts.push(formatTime(date, chosen));
  return parts.join(chosen.dateStyle === 'full' || chosen.dateStyle === 'long' ? ' at ' : ', ');
};

for (const [name, defaultFields] of [
  ['toLocaleString', 'date time'],
  ['toLocaleDateString', 'date'],
  ['toLocaleTimeString', 'time'],
]) {
  define(name, { [name](locales, options) { return localeDate(this, options, defaultFields); } }[name], Date.prototype);
}

// Compare: letters first without accents and case, then with accents, then small before capital.
const SIGNS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
const MARKS = /\p{M}/gu;
const bare = (string) => string.normalize('NFD').replace(MARKS, '').toLowerCase().replaceAll('ß', 'ss');

const rank = (character) => {
  if (/\s/u.test(character)) return -3e6 + character.codePointAt(0);
  const sign = SIGNS.indexOf(character);
  if (sign >= 0) return -2e6 + sign;
  return character.codePointAt(0) + (/[\p{L}\p{N}]/u.test(character) ? 0 : -1e6);
};

const pieces = (string, numeric) => string.match(numeric ? /\d+|[^\d]/gu : /[^]/gu) ?? [];

const comparePieces = (left, right, numeric) => {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const numbers = numeric && /^\d/.test(left[i]) && /^\d/.test(right[i]);
    const difference = numbers ? Number(left[i]) - Number(right[i]) : rank(left[i]) - rank(right[i]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

const compareCase = (left, right) => {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const small = left[i].toLowerCase();
    if (left[i] !== right[i] && small === right[i].toLowerCase()) return left[i] === small ? -1 : 1;
  }
  return 0;
};

define('localeCompare', function localeCompare(that, locales, options = {}) {
  const { numeric = false, sensitivity = 'variant' } = options;
  const left = String(this).normalize('NFC');
  const right = String(that).normalize('NFC');
  const compare = (fold) => comparePieces(pieces(fold(left), numeric), pieces(fold(right), numeric), numeric);
  const accents = sensitivity === 'accent' || sensitivity === 'variant';
  const cases = sensitivity === 'case' || sensitivity === 'variant';
  return Math.sign(
    compare(bare) ||
      (accents && compare((string) => string.toLowerCase())) ||
      (cases && compareCase(left, right)) ||
      0,
  );
}, String.prototype);
