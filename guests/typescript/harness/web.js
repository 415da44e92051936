// Web: what programs expect of a platform and the language does not have, from core-js-pure.

define('URL', library.URL);
define('URLSearchParams', library.URLSearchParams);

// A promise within a value is not told by the error, so the calls that it may be are named.
const nativeClone = library.structuredClone;
const unclonable = 'Uncloneable type: Promise';
const cloning = {
  structuredClone(value) {
    try {
      return apply(nativeClone, this, arguments);
    } catch (error) {
      if (kindOfThrown(error) !== 'error' || error.message !== unclonable) throw error;
      const known = kindOfThrown(value) === 'promise';
      const misuse = 'clone a promise';
      throw unawaitedIn(
        'structuredClone',
        known ? unawaited(misuse, value) : unawaitedUnknown(misuse),
      );
    }
  },
};
define('structuredClone', cloning.structuredClone);
