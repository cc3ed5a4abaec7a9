/** Codecs in the shapes that vendors use, written for these tests. */

/** Each decodes one payload, received on port 1 at 2026-11-27T10:00:00Z with the variable `site`. */
export const decoders: readonly { name: string; script: string; hex: string; object: string }[] = [
  {
    name: 'Decode with shifts',
    script: 'function Decode(fPort, bytes, variables) { return { t: (bytes[0] << 24 >> 16 | bytes[1]) / 10 }; }',
    hex: 'ff9c',
    object: '{"t":-10}',
  },
  {
    name: 'Decode as an arrow function',
    script: 'const Decode = (fPort, bytes) => ({ fPort, n: bytes.length });',
    hex: '0102',
    object: '{"fPort":1,"n":2}',
  },
  {
    name: 'Decode with global arguments',
    script: 'function Decode() { return { first: bytes[0], port: fPort }; }',
    hex: '07',
    object: '{"first":7,"port":1}',
  },
  {
    name: 'Decode in module.exports',
    script: 'module.exports.Decode = function (port, bytes) { return { b: bytes }; };',
    hex: '0102',
    object: '{"b":[1,2]}',
  },
  {
    name: 'both dialects: the recorded one',
    script: 'function Decode() { return { by: "Decode" }; } function decodeUplink() { return { data: {} }; }',
    hex: '00',
    object: '{"by":"Decode"}',
  },
  {
    name: 'Decode with a switch by port',
    script: 'function Decode(p, b) { switch (p) { case 1: return { a: b[0] }; default: return { other: p }; } }',
    hex: '05',
    object: '{"a":5}',
  },
  {
    name: 'Decode with helpers and var',
    script:
      'var scale = 0.01; function u16(b, i) { return b[i] << 8 | b[i + 1]; } function Decode(p, b) { return { v: Math.round(u16(b, 0) * scale * 100) / 100 }; }',
    hex: '0149',
    object: '{"v":3.29}',
  },
  {
    name: 'Decode with a prototype',
    script:
      'function Reader(b) { this.b = b; } Reader.prototype.u8 = function (i) { return this.b[i]; }; function Decode(p, b) { return { x: new Reader(b).u8(1) }; }',
    hex: '0009',
    object: '{"x":9}',
  },
  {
    name: 'decodeUplink',
    script: 'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { t: bytes[0] / 2 } }; }',
    hex: '15',
    object: '{"t":10.5}',
  },
  {
    name: 'decodeUplink with one argument',
    script: 'function decodeUplink(input) { return { data: { port: input.fPort, n: input.bytes.length } }; }',
    hex: '00',
    object: '{"port":1,"n":1}',
  },
  {
    name: 'decodeUplink as a const',
    script: 'const decodeUplink = (input) => ({ data: { on: input.bytes[0] === 1 } });',
    hex: '01',
    object: '{"on":true}',
  },
  {
    name: 'decodeUplink in module.exports',
    script: 'function decode(i) { return { data: { x: i.bytes[0] } }; } module.exports = { decodeUplink: decode };',
    hex: '03',
    object: '{"x":3}',
  },
  {
    name: 'decodeUplink in exports',
    script: 'exports.decodeUplink = (i) => ({ data: { y: i.bytes[1] } });',
    hex: '0004',
    object: '{"y":4}',
  },
  {
    name: 'recvTime as a date',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { at: recvTime.toISOString(), year: recvTime.getUTCFullYear() } }; }',
    hex: '00',
    object: '{"at":"2026-11-27T10:00:00.000Z","year":2026}',
  },
  {
    name: 'recvTime in arithmetic',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { ago: new Date(recvTime.getTime() - bytes[0] * 60000) } }; }',
    hex: '0a',
    object: '{"ago":"2026-11-27T09:50:00.000Z"}',
  },
  {
    name: 'warnings',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { b: bytes[0] }, warnings: ["low"] }; }',
    hex: '01',
    object: '{"b":1}',
  },
  {
    name: 'empty errors',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { b: bytes[0] }, errors: [], warnings: [] }; }',
    hex: '01',
    object: '{"b":1}',
  },
  {
    name: 'a class with fields',
    script:
      'class Parser { #at = 0; constructor(b) { this.b = b; } next() { return this.b[this.#at++]; } } function decodeUplink({ bytes, fPort, recvTime, variables }) { const p = new Parser(bytes); return { data: { a: p.next(), b: p.next() } }; }',
    hex: '0506',
    object: '{"a":5,"b":6}',
  },
  {
    name: 'a class with static members',
    script:
      'class Types { static byID = { 1: "door" }; } function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { kind: Types.byID[bytes[0]] ?? null } }; }',
    hex: '01',
    object: '{"kind":"door"}',
  },
  {
    name: 'a table of functions',
    script:
      'const types = { 0x01: (b, i) => ({ t: b[i] / 10 }), 0x02: (b, i) => ({ h: b[i] }) }; function decodeUplink({ bytes, fPort, recvTime, variables }) { let data = {}; for (let i = 0; i < bytes.length; i += 2) data = { ...data, ...types[bytes[i]](bytes, i + 1) }; return { data }; }',
    hex: '01d70232',
    object: '{"t":21.5,"h":50}',
  },
  {
    name: 'a switch over channels with fallthrough',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { var d = {}; for (var i = 0; i < bytes.length; ) switch (bytes[i++]) { case 1: case 2: d["c" + bytes[i - 1]] = bytes[i++]; break; default: i = bytes.length; } return { data: d }; }',
    hex: '0107020900',
    object: '{"c1":7,"c2":9}',
  },
  {
    name: 'Buffer big-endian',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const b = Buffer.from(bytes); return { data: { v: b.readInt16BE(0), w: b.readUInt32BE(2), f: b.readFloatBE(6) } }; }',
    hex: 'ff9c0000010040490fdb',
    object: '{"v":-100,"w":256,"f":3.1415927410125732}',
  },
  {
    name: 'Buffer little-endian',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const b = new Buffer(bytes); return { data: { v: b.readInt16LE(0), w: b.readUIntLE(2, 3), d: b.readDoubleLE(5) } }; }',
    hex: '9cff010203000000000000f03f',
    object: '{"v":-100,"w":197121,"d":1}',
  },
  {
    name: 'Buffer texts',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const b = Buffer.from(bytes); return { data: { hex: b.toString("hex"), text: b.slice(0, 2).toString(), base64: b.toString("base64") } }; }',
    hex: '4f4bff',
    object: '{"hex":"4f4bff","text":"OK","base64":"T0v/"}',
  },
  {
    name: 'Buffer.concat and fill',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { all: Buffer.concat([Buffer.from(bytes), Buffer.alloc(2, 7)]).toString("hex") } }; }',
    hex: '01',
    object: '{"all":"010707"}',
  },
  {
    name: 'Buffer as member',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { raw: Buffer.from(bytes) } }; }',
    hex: '0102',
    object: '{"raw":{"type":"Buffer","data":[1,2]}}',
  },
  {
    name: 'TextDecoder',
    script:
      'const decoder = new TextDecoder("utf-8"); function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { name: decoder.decode(Uint8Array.from(bytes)) } }; }',
    hex: 'c3bc21',
    object: '{"name":"ü!"}',
  },
  {
    name: 'atob and btoa',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { there: btoa(String.fromCharCode(...bytes)), back: atob("T0s=") } }; }',
    hex: '4f4b',
    object: '{"there":"T0s=","back":"OK"}',
  },
  {
    name: 'DataView',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const v = new DataView(new Uint8Array(bytes).buffer); return { data: { f: v.getFloat32(0), i: v.getInt16(4, true) } }; }',
    hex: '3fc000000100',
    object: '{"f":1.5,"i":1}',
  },
  {
    name: 'console in operation',
    script:
      'console.log("loaded"); function decodeUplink({ bytes, fPort, recvTime, variables }) { console.warn(bytes); console.table([]); return { data: { ok: true } }; }',
    hex: '00',
    object: '{"ok":true}',
  },
  {
    name: 'variables',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { site: variables.site } }; }',
    hex: '00',
    object: '{"site":"north"}',
  },
  {
    name: 'strict mode',
    script:
      '"use strict"; function decodeUplink({ bytes, fPort, recvTime, variables }) { let n = 0; for (const b of bytes) n += b; return { data: { n } }; }',
    hex: '0102ff',
    object: '{"n":258}',
  },
  {
    name: 'bits and padStart',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: { bits: bytes.map((b) => b.toString(2).padStart(8, "0")).join("") } }; }',
    hex: '0580',
    object: '{"bits":"0000010110000000"}',
  },
  {
    name: 'BigInt as text',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { let n = 0n; for (const b of bytes) n = n << 8n | BigInt(b); return { data: { n: n.toString() } }; }',
    hex: 'ffffffffffffffff',
    object: '{"n":"18446744073709551615"}',
  },
  {
    name: 'regular expressions with groups',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const { a } = /(?<a>..)$/.exec(bytes.map((b) => b.toString(16)).join("")).groups; return { data: { a } }; }',
    hex: '1122',
    object: '{"a":"22"}',
  },
  {
    name: 'optional chaining and Object.groupBy',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { const g = Object.groupBy(bytes, (b) => (b % 2 ? "odd" : "even")); return { data: { odd: g.odd?.length ?? 0, even: g.even?.length ?? 0 } }; }',
    hex: '010203',
    object: '{"odd":2,"even":1}',
  },
  {
    name: 'a wrapper for module systems',
    script:
      '(function (root, make) { if (typeof module === "object" && module.exports) module.exports = make(); else root.codec = make(); })(this, function () { return { decodeUplink: function (i) { return { data: { u: i.bytes[0] } }; } }; });',
    hex: '08',
    object: '{"u":8}',
  },
  {
    name: 'a generator',
    script:
      'function* pairs(b) { for (let i = 0; i < b.length; i += 2) yield [b[i], b[i + 1]]; } function decodeUplink({ bytes, fPort, recvTime, variables }) { return { data: Object.fromEntries([...pairs(bytes)].map(([k, v]) => ["k" + k, v])) }; }',
    hex: '01020304',
    object: '{"k1":2,"k3":4}',
  },
  {
    name: 'Milesight-style channels',
    script:
      'function decodeUplink({ bytes, fPort, recvTime, variables }) { var d = {}; for (var i = 0; i < bytes.length; ) { var id = bytes[i++], type = bytes[i++]; if (id === 0x01 && type === 0x75) d.battery = bytes[i++]; else if (id === 0x03 && type === 0x67) { d.temperature = ((bytes[i + 1] << 8 | bytes[i]) << 16 >> 16) / 10; i += 2; } else break; } return { data: d }; }',
    hex: '01755c03673401',
    object: '{"battery":92,"temperature":30.8}',
  },
  {
    name: 'Decentlab-style sensors',
    script:
      "var decoder = { SENSORS: [{ length: 1, values: [{ name: 'v', convert: function (x) { return x[0] / 1000; } }] }], decode: function (b) { var r = {}; this.SENSORS[0].values.forEach(function (v) { r[v.name] = v.convert.call(this, [b[0] << 8 | b[1]]); }, this); return r; } }; function decodeUplink(i) { return { data: decoder.decode(i.bytes) }; }",
    hex: '0cda',
    object: '{"v":3.29}',
  },
];

/** `given` is the port of the request. */
export const encoders: readonly {
  name: string;
  script: string;
  object: string;
  hex: string;
  given: number;
  fPort: number;
}[] = [
  {
    name: 'Encode',
    script: 'function Encode(fPort, obj) { return [fPort, obj.on ? 1 : 0]; }',
    object: '{"on":true}',
    hex: '0901',
    given: 9,
    fPort: 9,
  },
  {
    name: 'Encode with a Buffer',
    script: 'function Encode(p, o) { const b = Buffer.alloc(2); b.writeInt16BE(o.t * 10, 0); return b; }',
    object: '{"t":-1}',
    hex: 'fff6',
    given: 9,
    fPort: 9,
  },
  {
    name: 'encodeDownlink',
    script: 'function encodeDownlink({ data }) { return { bytes: [data.n & 255], fPort: 42, warnings: [] }; }',
    object: '{"n":257}',
    hex: '01',
    given: 0,
    fPort: 42,
  },
  {
    name: 'encodeDownlink with typed bytes',
    script: 'exports.encodeDownlink = (i) => ({ bytes: Uint8Array.of(i.fPort, i.data.a) });',
    object: '{"a":2}',
    hex: '0902',
    given: 9,
    fPort: 9,
  },
];

/** Scripts that cannot be parsed, with the line of the error. */
export const unparsable: readonly (readonly [script: string, line: number])[] = [
  ['function Decode( {', 1],
  ['var a = 1;\nvar b = ;\nfunction Decode() {}', 2],
  ['function Decode() {\n  return { a: 1, };\n', 3],
  ['function Decode() {\n  return "open;\n}', 2],
  ['function Decode() {\n  let a; let a;\n}', 2],
  ['const x;\nfunction Decode() {}', 1],
  ['function Decode() { return 08n; }', 1],
  ['\n\n\nreturn 1;\nfunction Decode() {}', 4],
  ['function Decode() {\n  if (1) {\n    x = [1, 2;\n  }\n}', 3],
  ['import fs from "fs";\nfunction Decode() {}', 1],
  ['function Decode() {\n  await x;\n}', 2],
  ['function Decode() {\n  break;\n}', 2],
  ['class A {\n  constructor() { super(); }\n}\nfunction Decode() {}', 2],
  ['function Decode() {\n  var /x/ = 1;\n}', 2],
  ['function Decode() {\n  return a ? b;\n}', 2],
  ['export function Decode() {}', 1],
  ['function Decode() {\n\n  `open ${1}\n}\n', 3],
  ['function Decode() {\n  x = { a: 1 b: 2 };\n}', 2],
  ['let = 5\nfunction Decode() { yield = = 3; }', 2],
  ['function Decode() {\n  continue;\n}', 2],
];

/** Scripts that fail when they run, with the line of the error. */
export const failing: readonly (readonly [script: string, line: number])[] = [
  ['function Decode() {\n  return missing.value;\n}', 2],
  ['function Decode(p, b) {\n  var o;\n  return o.x;\n}', 3],
  ['var n = null;\n\nfunction Decode() { return n(); }', 3],
  ['function inner() {\n  throw new Error("x");\n}\nfunction Decode() {\n  inner();\n}', 2],
  ['function Decode() {\n  return JSON.parse("{");\n}', 2],
  ['function Decode() {\n  const a = 1;\n  a = 2;\n}', 3],
  ['function decodeUplink() {\n\n\n  return Buffer.from([1]).readUInt16BE(0);\n}', 4],
  ['function decodeUplink(i) {\n  return { data: i.bytes.nothing() };\n}', 2],
  ['throw new Error("top");\nfunction Decode() {}', 1],
  ['function Decode() {\n  return new Array(-1);\n}', 2],
];
