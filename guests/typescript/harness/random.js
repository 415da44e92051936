// Random: all randomness is drawn from the program's seed (sfc32, by Chris Doty-Humphrey).

let a = 0;
let b = 0;
let c = 0;
let counter = 1;

const random32 = () => {
  const drawn = (a + b + counter++) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = (((c << 21) | (c >>> 11)) + drawn) | 0;
  return drawn >>> 0;
};

const seedRandom = (first, second, third) => {
  a = first | 0;
  b = second | 0;
  c = third | 0;
  counter = 1;
  for (let i = 0; i < 12; i++) random32();
};

define('random', () => (random32() * 2097152 + (random32() >>> 11)) / 9007199254740992, Math);

const hexDigits = '0123456789abcdef';
const crypto = {};
define(
  'getRandomValues',
  (array) => {
    const bytes = new NativeUint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = random32();
    return array;
  },
  crypto,
);
define(
  'randomUUID',
  () => {
    let uuid = '';
    for (let i = 0; i < 36; i++) {
      if (i === 8 || i === 13 || i === 18 || i === 23) uuid += '-';
      else if (i === 14) uuid += '4';
      else uuid += hexDigits[i === 19 ? 8 + (random32() >>> 30) : random32() >>> 28];
    }
    return uuid;
  },
  crypto,
);
define('crypto', crypto);
