/**
 * What scripts find besides the language, as source text for the sandbox. Built-ins are captured before a script can replace
 * them.
 *
 * `boot` runs once. Arguments are also globals, as in version 3. QuickJS would draw the same random numbers in each call:
 * they come from a seed of the call instead (sfc32). `watch` finds out whether the outermost statements of a script have the
 * same result in every call: they read no argument and no random number, and do not redefine the arguments. `console` does
 * nothing except in trials, which return its lines.
 */
export const boot = `(function () {
  var stringify = JSON.stringify, parse = JSON.parse, world = globalThis, TimeOf = Date, TextOf = String;
  var define = Object.defineProperty, described = Object.getOwnPropertyDescriptor, isExtensible = Object.isExtensible;
  var isView = ArrayBuffer.isView, toArray = Array.from, Problem = TypeError;
  var cut = Function.prototype.call.bind(String.prototype.slice);
  var isAsked = false, a = 0, b = 0, c = 0, d = 0;
  var lines = null, count = 0, room = 0;
  function draw() {
    var drawn = (a + b | 0) + d | 0;
    d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0; c = c << 21 | c >>> 11; c = c + drawn | 0;
    return drawn >>> 0;
  }
  Math.random = function random() {
    isAsked = true;
    return ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992;
  };
  function put(name, value) {
    define(world, name, { __proto__: null, value: value, writable: true, enumerable: true, configurable: true });
  }
  function textOf(value) {
    if (typeof value !== 'object' || value === null) return TextOf(value);
    try { return stringify(value); } catch (error) { return '(a value that cannot be shown)'; }
  }
  function write() {
    if (lines === null || count >= 100 || room <= 0) return;
    var text = '';
    for (var n = 0; n < arguments.length && text.length < room; n++) text += (n > 0 ? ' ' : '') + textOf(arguments[n]);
    text = cut(text, 0, room);
    room -= text.length + 1;
    lines[count++] = text;
  }
  world.console = {};
  ['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir', 'group', 'groupEnd', 'time', 'timeEnd', 'assert', 'count']
    .forEach(function (name) { world.console[name] = write; });
  var module = world.module = { exports: {} };
  world.exports = module.exports;
  function watch(name) {
    function ask() { isAsked = true; }
    define(world, name, { __proto__: null, get: ask, set: ask, enumerable: true, configurable: true });
    return function () {
      var found = described(world, name);
      var isAsItWas = found && found.get === ask && found.enumerable && found.configurable && isExtensible(world);
      if (isAsItWas) delete world[name];
      else isAsked = true;
    };
  }
  function refusePromise(func, result) {
    if (typeof result === 'object' && result !== null && typeof result.then === 'function')
      throw new Problem(func + ' must not be async: it returned a promise.');
    return result;
  }
  function resultOf(func, result) {
    refusePromise(func, result);
    if (typeof result === 'object' && result !== null) return result;
    throw new Problem(func + ' must return an object.');
  }
  function bytesOf(list) { return isView(list) ? toArray(list) : list; }
  var callers = {
    __proto__: null,
    Encode: function (given, run) {
      return bytesOf(refusePromise('Encode', run(given.fPort, world.obj, world.variables)));
    },
    decodeUplink: function (given, run) {
      var recvTime = new TimeOf(given.at);
      var input = { bytes: given.input, fPort: given.fPort, recvTime: recvTime, variables: given.variables };
      var result = resultOf('decodeUplink', run(input));
      return { __proto__: null, data: result.data, warnings: result.warnings, errors: result.errors };
    },
    encodeDownlink: function (given, run) {
      var input = { data: given.input, fPort: given.fPort || undefined, variables: given.variables };
      var result = resultOf('encodeDownlink', run(input));
      return {
        __proto__: null, data: bytesOf(result.bytes), fPort: result.fPort,
        warnings: result.warnings, errors: result.errors,
      };
    },
  };
  return {
    watch: function (second) {
      isAsked = false;
      var port = watch('fPort'), input = watch(second), variables = watch('variables');
      return function () { port(); input(); variables(); return isAsked; };
    },
    begin: function (second, given) {
      given = parse(given);
      a = given.a; b = given.b; c = given.c; d = given.d;
      if (given.isTrial) { lines = []; room = 4096; }
      put('fPort', given.fPort); put(second, given.input); put('variables', given.variables);
      return function (run, func) {
        if (func === undefined)
          return stringify(refusePromise('Decode', run(given.fPort, world[second], world.variables)));
        return stringify(callers[func](given, run));
      };
    },
    normalize: function (normalize, data) {
      return stringify(resultOf('normalizeUplink', normalize({ data: parse(data) })));
    },
    exported: function (name) { return module.exports === null ? undefined : module.exports[name]; },
    lines: function () { return stringify(lines || []); },
  };
})()`;

/** Scripts that name one of these get all of them. They are not part of `boot`, because its memory is copied in each call. */
export const bufferNames = /\b(?:Buffer|TextDecoder|TextEncoder|atob|btoa)\b/;

export const buffers = String.raw`(function () {
  var world = globalThis, U8 = Uint8Array, View = DataView, fromCode = String.fromCharCode;
  var digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  function put(name, value) {
    Object.defineProperty(world, name, { value: value, writable: true, enumerable: false, configurable: true });
  }
  function toUTF8(text) {
    var list = [];
    for (var n = 0; n < text.length; n++) {
      var code = text.codePointAt(n);
      if (code > 0xffff) n++;
      else if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
      if (code < 0x80) list.push(code);
      else if (code < 0x800) list.push(0xc0 | code >> 6, 0x80 | code & 63);
      else if (code < 0x10000) list.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63);
      else list.push(0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63);
    }
    return list;
  }
  function fromUTF8(bytes, isFatal) {
    var text = '';
    for (var n = 0; n < bytes.length; ) {
      var first = bytes[n++];
      if (first < 0x80) { text += fromCode(first); continue; }
      var more = first >= 0xf0 && first < 0xf5 ? 3 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xc2 && first < 0xe0 ? 1 : 0;
      var code = first & 0x3f >> more, taken = 0;
      while (taken < more && (bytes[n + taken] & 0xc0) === 0x80) code = code << 6 | bytes[n + taken++] & 63;
      var least = more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000;
      var isValid = more > 0 && taken === more && code >= least && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      if (!isValid && isFatal) throw new TypeError('The bytes are not valid UTF-8.');
      n += isValid ? more : Math.max(0, taken < more ? taken : 0);
      text += isValid ? String.fromCodePoint(code) : '\ufffd';
    }
    return text;
  }
  function toHex(bytes) {
    var text = '';
    for (var n = 0; n < bytes.length; n++) text += (bytes[n] < 16 ? '0' : '') + bytes[n].toString(16);
    return text;
  }
  function fromHex(text) {
    var list = [];
    for (var n = 0; n + 1 < text.length; n += 2) {
      var pair = text.slice(n, n + 2);
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) break;
      list.push(parseInt(pair, 16));
    }
    return list;
  }
  function toBase64(bytes) {
    var text = '';
    for (var n = 0; n < bytes.length; n += 3) {
      var three = bytes[n] << 16 | (bytes[n + 1] || 0) << 8 | (bytes[n + 2] || 0);
      text += digits[three >> 18] + digits[three >> 12 & 63];
      text += n + 1 < bytes.length ? digits[three >> 6 & 63] : '=';
      text += n + 2 < bytes.length ? digits[three & 63] : '=';
    }
    return text;
  }
  function fromBase64(text) {
    var list = [], bits = 0, held = 0;
    for (var n = 0; n < text.length && text[n] !== '='; n++) {
      var digit = digits.indexOf(text[n] === '-' ? '+' : text[n] === '_' ? '/' : text[n]);
      if (digit < 0) continue;
      held = (held << 6 | digit) & 0xffffff;
      bits += 6;
      if (bits >= 8) list.push(held >> (bits -= 8) & 255);
    }
    return list;
  }
  function codesOf(text) {
    var list = [];
    for (var n = 0; n < text.length; n++) list.push(text.charCodeAt(n) & 255);
    return list;
  }
  function textOfCodes(bytes, mask) {
    var text = '';
    for (var n = 0; n < bytes.length; n++) text += fromCode(bytes[n] & mask);
    return text;
  }
  function toUTF16(text) {
    var list = [];
    for (var n = 0; n < text.length; n++) list.push(text.charCodeAt(n) & 255, text.charCodeAt(n) >> 8);
    return list;
  }
  function fromUTF16(bytes) {
    var text = '';
    for (var n = 0; n + 1 < bytes.length; n += 2) text += fromCode(bytes[n] | bytes[n + 1] << 8);
    return text;
  }
  var latin1 = { to: codesOf, from: function (bytes) { return textOfCodes(bytes, 255); } };
  var utf16 = { to: toUTF16, from: fromUTF16 };
  var utf8 = { to: toUTF8, from: function (bytes) { return fromUTF8(bytes, false); } };
  var base64url = function (bytes) {
    return toBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
  };
  var encodings = {
    __proto__: null, utf8: utf8, 'utf-8': utf8, hex: { to: fromHex, from: toHex },
    base64: { to: fromBase64, from: toBase64 }, base64url: { to: fromBase64, from: base64url },
    ascii: { to: codesOf, from: function (bytes) { return textOfCodes(bytes, 127); } },
    latin1: latin1, binary: latin1, ucs2: utf16, 'ucs-2': utf16, utf16le: utf16, 'utf-16le': utf16,
  };
  function encodingOf(name) {
    var found = encodings[name === undefined || name === null ? 'utf8' : String(name).toLowerCase()];
    if (!found) throw new TypeError('Unknown encoding: ' + name);
    return found;
  }
  function wrap(bytes) { return Object.setPrototypeOf(bytes, Buffer.prototype); }
  function make(value, encoding, length) {
    if (typeof value === 'string') return wrap(new U8(encodingOf(encoding).to(value)));
    if (typeof value === 'number') throw new TypeError('Buffer.from needs a text or a list of bytes.');
    if (value instanceof ArrayBuffer) return wrap(new U8(value, encoding, length));
    if (value && value.type === 'Buffer' && Array.isArray(value.data)) return wrap(new U8(value.data));
    if (value === null || value === undefined) throw new TypeError('Buffer.from needs a text or a list of bytes.');
    return wrap(new U8(Array.from(value)));
  }
  function Buffer(value, encoding, length) {
    return typeof value === 'number' ? wrap(new U8(value)) : make(value, encoding, length);
  }
  Buffer.from = make;
  Buffer.alloc = function (size, value, encoding) {
    var made = wrap(new U8(size));
    return value === undefined ? made : made.fill(value, 0, size, encoding);
  };
  Buffer.allocUnsafe = Buffer.allocUnsafeSlow = function (size) { return wrap(new U8(size)); };
  Buffer.isBuffer = function (value) { return value instanceof Buffer; };
  Buffer.isEncoding = function (name) { return String(name).toLowerCase() in encodings; };
  Buffer.byteLength = function (value, encoding) {
    return typeof value === 'string' ? encodingOf(encoding).to(value).length : value.byteLength;
  };
  Buffer.concat = function (list, total) {
    var all = [];
    for (var n = 0; n < list.length; n++) for (var at = 0; at < list[n].length; at++) all.push(list[n][at]);
    if (total === undefined) return wrap(new U8(all));
    var made = wrap(new U8(total));
    made.set(all.slice(0, total));
    return made;
  };
  Buffer.compare = function (one, other) { return one.compare(other); };
  var proto = Buffer.prototype = Object.create(U8.prototype, {
    constructor: { value: Buffer, writable: true, configurable: true },
    parent: { get: function () { return this.buffer; }, configurable: true },
  });
  Object.defineProperty(Buffer, Symbol.species, { value: U8 });
  function add(name, run) { Object.defineProperty(proto, name, { value: run, writable: true, configurable: true }); }
  add('slice', function (start, end) { return wrap(U8.prototype.subarray.call(this, start, end)); });
  add('subarray', proto.slice);
  add('toString', function (encoding, start, end) {
    return encodingOf(encoding).from(U8.prototype.subarray.call(this, start || 0, end === undefined ? this.length : end));
  });
  add('toJSON', function () { return { type: 'Buffer', data: Array.from(this) }; });
  add('equals', function (other) { return this.compare(other) === 0; });
  add('compare', function (other) {
    for (var n = 0; n < this.length && n < other.length; n++)
      if (this[n] !== other[n]) return this[n] < other[n] ? -1 : 1;
    return this.length === other.length ? 0 : this.length < other.length ? -1 : 1;
  });
  add('copy', function (target, at, start, end) {
    var part = U8.prototype.subarray.call(this, start || 0, end === undefined ? this.length : end);
    var most = Math.max(0, Math.min(part.length, target.length - (at || 0)));
    target.set(part.subarray(0, most), at || 0);
    return most;
  });
  add('write', function (text, offset, length, encoding) {
    if (typeof offset === 'string') { encoding = offset; offset = 0; length = undefined; }
    else if (typeof length === 'string') { encoding = length; length = undefined; }
    var from = offset || 0, list = encodingOf(encoding).to(text);
    var most = Math.min(list.length, this.length - from, length === undefined ? Infinity : length);
    for (var n = 0; n < most; n++) this[from + n] = list[n];
    return most;
  });
  add('fill', function (value, start, end, encoding) {
    if (typeof value !== 'string') return U8.prototype.fill.call(this, value, start, end);
    if (typeof start === 'string') { encoding = start; start = 0; end = undefined; }
    var list = encodingOf(typeof end === 'string' ? end : encoding).to(value), from = start || 0;
    var to = typeof end === 'number' ? end : this.length;
    for (var n = from; n < to && list.length > 0; n++) this[n] = list[(n - from) % list.length];
    return this;
  });
  function find(name, isFirst) {
    add(name, function (value, from, encoding) {
      if (typeof value === 'number') return U8.prototype[name].apply(this, from === undefined ? [value] : [value, from]);
      var list = typeof value === 'string' ? encodingOf(encoding || (typeof from === 'string' ? from : undefined)).to(value) : value;
      var last = this.length - list.length, begin = typeof from === 'number' ? from : isFirst ? 0 : last;
      for (var n = Math.min(Math.max(begin, 0), isFirst ? Infinity : last); n >= 0 && n <= last; n += isFirst ? 1 : -1) {
        var at = 0;
        while (at < list.length && this[n + at] === list[at]) at++;
        if (at === list.length) return n;
      }
      return -1;
    });
  }
  find('indexOf', true);
  find('lastIndexOf', false);
  add('includes', function (value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; });
  function rangeError(what) { return new RangeError('The value of "' + what + '" is out of range.'); }
  function viewOf(buffer, offset, bytes) {
    if (typeof offset !== 'number') throw new TypeError('The "offset" must be a number.');
    if (!(offset >= 0 && offset + bytes <= buffer.length) || offset % 1 !== 0) throw rangeError('offset');
    return new View(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }
  function number(name, bytes, min, max) {
    var ends = bytes === 1 ? [''] : ['LE', 'BE'];
    ends.forEach(function (end) {
      var read = function (offset) {
        if (offset === undefined) offset = 0;
        return viewOf(this, offset, bytes)['get' + name](offset, end === 'LE');
      };
      var write = function (value, offset) {
        if (offset === undefined) offset = 0;
        if (min !== undefined && !(value >= min && value <= max)) throw rangeError('value');
        viewOf(this, offset, bytes)['set' + name](offset, value, end === 'LE');
        return offset + bytes;
      };
      var shown = name.replace('Float32', 'Float').replace('Float64', 'Double');
      [shown, shown.replace('Uint', 'UInt')].forEach(function (called) {
        add('read' + called + end, read);
        add('write' + called + end, write);
      });
    });
  }
  number('Int8', 1, -128, 127);
  number('Uint8', 1, 0, 255);
  number('Int16', 2, -32768, 32767);
  number('Uint16', 2, 0, 65535);
  number('Int32', 4, -2147483648, 2147483647);
  number('Uint32', 4, 0, 4294967295);
  number('Float32', 4);
  number('Float64', 8);
  number('BigInt64', 8);
  number('BigUint64', 8);
  ['LE', 'BE'].forEach(function (end) {
    ['Int', 'Uint', 'UInt'].forEach(function (name) {
      add('read' + name + end, function (offset, bytes) {
        if (!(bytes >= 1 && bytes <= 6)) throw rangeError('byteLength');
        viewOf(this, offset, bytes);
        var value = 0;
        for (var n = 0; n < bytes; n++) value = value * 256 + this[end === 'BE' ? offset + n : offset + bytes - 1 - n];
        return name === 'Int' && value >= Math.pow(2, 8 * bytes - 1) ? value - Math.pow(2, 8 * bytes) : value;
      });
      add('write' + name + end, function (value, offset, bytes) {
        if (!(bytes >= 1 && bytes <= 6)) throw rangeError('byteLength');
        viewOf(this, offset, bytes);
        var most = Math.pow(2, 8 * bytes), least = name === 'Int' ? -most / 2 : 0;
        if (!(value >= least && value < (name === 'Int' ? most / 2 : most))) throw rangeError('value');
        var left = value < 0 ? value + most : value;
        for (var n = 0; n < bytes; n++) {
          this[end === 'BE' ? offset + bytes - 1 - n : offset + n] = left % 256;
          left = Math.floor(left / 256);
        }
        return offset + bytes;
      });
    });
  });
  [16, 32, 64].forEach(function (bits) {
    add('swap' + bits, function () {
      if (this.length % (bits / 8) !== 0) throw new RangeError('Buffer size must be a multiple of ' + bits + '-bits');
      for (var n = 0; n < this.length; n += bits / 8) U8.prototype.subarray.call(this, n, n + bits / 8).reverse();
      return this;
    });
  });
  put('Buffer', Buffer);
  put('atob', function (text) {
    var clean = String(text).replace(/[\t\n\f\r ]/g, '').replace(/={1,2}$/, '');
    if (clean.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(clean)) throw new TypeError('The text is not valid base64.');
    return textOfCodes(fromBase64(clean), 255);
  });
  put('btoa', function (text) {
    if (/[^\x00-\xff]/.test(String(text))) throw new TypeError('The text has characters beyond Latin-1.');
    return toBase64(codesOf(String(text)));
  });
  put('TextDecoder', function TextDecoder(label, options) {
    var name = label === undefined ? 'utf-8' : String(label).toLowerCase();
    var encoding = encodings[name === 'iso-8859-1' || name === 'windows-1252' || name === 'ascii' ? 'latin1' : name];
    if (!encoding || name === 'hex' || name === 'base64') throw new RangeError('Unknown encoding: ' + label);
    var isFatal = Boolean(options && options.fatal);
    this.encoding = name === 'utf8' ? 'utf-8' : name;
    this.fatal = isFatal;
    this.decode = function (bytes) {
      if (bytes === undefined) return '';
      var list = bytes instanceof ArrayBuffer ? new U8(bytes)
        : ArrayBuffer.isView(bytes) ? new U8(bytes.buffer, bytes.byteOffset, bytes.byteLength) : U8.from(bytes);
      var text = encoding === utf8 ? fromUTF8(list, isFatal) : encoding.from(list);
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    };
  });
  put('TextEncoder', function TextEncoder() {
    this.encoding = 'utf-8';
    this.encode = function (text) { return new U8(toUTF8(text === undefined ? '' : String(text))); };
  });
})()`;
