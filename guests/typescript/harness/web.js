// Web: what programs expect of a platform and the language does not have, from core-js-pure.

define('URL', library.URL);
define('URLSearchParams', library.URLSearchParams);
define('structuredClone', library.structuredClone);
