import { type Field, type FileImportKind, importFields, importMaps } from '@hilltop/contract';
import { readLabel } from '@hilltop/lorawan/tr005';
import type { TableFile } from '../../table-files/table.ts';
import type { PlannedColumn } from './plan.ts';

/**
 * Names of columns besides those of fields and labels, without letter case and punctuation: of The Things Stack, the
 * tools for ChirpStack 4, ThingPark and of sheets that vendors send.
 */
const otherNames: Readonly<Record<FileImportKind, Readonly<Record<string, readonly string[]>>>> = {
  DEVICES: {
    devEUI: [
      'eui',
      'eui64',
      'deveui64',
      'deveuihex',
      'lorawandeveui',
      'loradeveui',
      'lorawandeviceeui',
      'deveuilsb',
      'deveuimsb',
    ],
    name: ['devicelabel', 'label', 'deviceid', 'devid', 'id', 'title'],
    description: ['desc', 'comment', 'comments', 'note', 'notes', 'remark', 'remarks', 'administrativeinfo'],
    application: ['applicationid', 'applicationname', 'app', 'appid', 'appname'],
    deviceProfile: ['deviceprofileid', 'deviceprofilename', 'profile', 'profileid', 'devprofile', 'deviceprofil'],
    nwkKey: ['rootnwkkey', 'nwkrootkey', 'rootkeysnwkkeykey', 'lorawannwkkey', 'nwkkeyhex'],
    appKey: [
      'rootappkey',
      'approotkey',
      'appkeyhex',
      'rootkeysappkeykey',
      'otaaappkey',
      'lorawanappkey',
      'loraappkey',
      'otaakey',
      'key',
    ],
    isDisabled: ['disabled'],
    skipFCntCheck: ['skipfcnt', 'disablefcntcheck'],
    latitude: ['lat', 'gpslatitude', 'locationlatitude', 'locationsuserlatitude'],
    longitude: ['lon', 'lng', 'long', 'gpslongitude', 'locationlongitude', 'locationsuserlongitude'],
    altitude: ['alt', 'elevation', 'gpsaltitude', 'locationaltitude', 'locationsuseraltitude'],
    devAddr: ['sessiondevaddr', 'networkaddress', 'abpdevaddr'],
    appSKey: ['appsessionkey', 'sessionkeysappskeykey', 'abpappskey'],
    nwkSEncKey: ['nwkskey', 'networksessionkey', 'nwksessionkey', 'sessionkeysnwksenckeykey', 'abpnwkskey'],
    sNwkSIntKey: ['sessionkeyssnwksintkeykey'],
    fNwkSIntKey: ['sessionkeysfnwksintkeykey'],
    fCntUp: ['framecounterup', 'uplinkframecounter', 'uplinkcounter'],
    nFCntDown: ['fcntdown', 'framecounterdown', 'downlinkframecounter', 'downlinkcounter'],
    lastFCntUp: ['sessionlastfcntup'],
    lastNFCntDown: ['sessionlastnfcntdown'],
    lastAFCntDown: ['sessionlastafcntdown'],
    onboardingTag: ['qr', 'qrcode', 'tr005', 'loraqrcode', 'onboardingqrcode', 'qrcodecontent'],
  },
  GATEWAYS: {
    id: ['gatewayid', 'gatewayeui', 'gweui', 'gwid', 'eui', 'eui64', 'ids', 'idseui', 'lrruuid', 'lrrid'],
    name: ['label', 'gwname'],
    description: ['desc', 'comment', 'comments', 'note', 'notes', 'remark', 'remarks'],
    networkServer: ['networkserverid', 'networkservername'],
    gatewayProfile: ['gatewayprofileid', 'gatewayprofilename'],
    serviceProfile: ['serviceprofileid', 'serviceprofilename'],
    discoveryEnabled: ['discovery', 'gatewaydiscovery'],
    latitude: ['lat', 'gpslatitude', 'locationlatitude'],
    longitude: ['lon', 'lng', 'long', 'gpslongitude', 'locationlongitude'],
    altitude: ['alt', 'elevation', 'gpsaltitude', 'locationaltitude'],
  },
};

/** Identifiers that devices have and Hilltop does not need. */
const notNeeded = new Set([
  'joineui',
  'appeui',
  'joineuihex',
  'applicationeui',
  'lorawanjoineui',
  'lorawanappeui',
  'ownertoken',
  'netid',
]);

const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const mapNames: readonly (readonly [RegExp, string])[] = [
  [/^tags?[.:_](.+)$/i, 'tag'],
  [/^(?:var|vars|variables?)[.:_](.+)$/i, 'var'],
];

const fieldsByName = Object.fromEntries(
  Object.entries(importFields).map(([kind, fields]) => [
    kind,
    namesOfFields(fields, otherNames[kind as FileImportKind]),
  ]),
) as Record<FileImportKind, ReadonlyMap<string, string>>;

function namesOfFields(
  fields: Readonly<Record<string, Field>>,
  others: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [field, { facts }] of Object.entries(fields))
    for (const name of [bare(field), bare(facts.label ?? ''), ...(others[field] ?? [])])
      if (!names.has(name)) names.set(name, field);
  return names;
}

/** Rows whose values are looked at. */
const sampleRows = 50;

/** The fields that the columns of a file probably are, by their names and then by their values. */
export function guessColumns(kind: FileImportKind, { columns, rows }: TableFile): PlannedColumn[] {
  const taken = new Set<string>();
  const take = (field: string) => {
    if (field === '' || taken.has(field)) return '';
    taken.add(field);
    return field;
  };
  const exact = columns.map((name) => (Object.hasOwn(importFields[kind], name) ? take(name) : ''));
  const named = columns.map((name, at) => exact[at] || take(fieldNamed(kind, name)));
  const sample = rows.slice(0, sampleRows);
  const found = named.map((field, at) => {
    if (field !== '' || notNeeded.has(bare(columns[at]!))) return field;
    return take(
      fieldByValues(
        kind,
        sample.map(({ cells }) => cells[at] ?? '').filter((cell) => cell !== ''),
        taken,
      ),
    );
  });
  const planned = columns.map((name, at) => ({
    name,
    field: found[at]!,
    isReversed: /lsb|little.?endian/i.test(name),
  }));
  if (kind === 'DEVICES') correctDevices(planned);
  return planned;
}

function fieldNamed(kind: FileImportKind, name: string): string {
  const found = fieldsByName[kind].get(bare(name));
  if (found !== undefined) return found;
  for (const [pattern, map] of mapNames) {
    const entry = pattern.exec(name)?.[1];
    if (entry !== undefined && Object.hasOwn(importMaps[kind], map)) return `${map}.${entry.trim()}`;
  }
  return '';
}

function fieldByValues(kind: FileImportKind, values: readonly string[], taken: ReadonlySet<string>): string {
  if (values.length === 0) return '';
  const all = (test: (value: string) => boolean) => values.every(test);
  const areHex = (digits: number) =>
    all(
      (value) =>
        value.replace(/^0x/i, '').replaceAll(/[\s:-]/g, '').length === digits && /^(0x)?[0-9a-f\s:-]+$/i.test(value),
    );
  const areDistinct = new Set(values).size === values.length;
  if (kind === 'GATEWAYS') return areHex(16) && areDistinct && !taken.has('id') ? 'id' : '';
  if (all((value) => /^(LW:D0|URN:(DEV:)?LW):/i.test(value) && readLabel(value).kind === 'device'))
    return 'onboardingTag';
  if (areHex(16) && areDistinct && !taken.has('devEUI')) return 'devEUI';
  return areHex(32) && !taken.has('appKey') && !taken.has('nwkKey') ? 'appKey' : '';
}

const sessionFields = ['devAddr', 'appSKey', 'nwkSEncKey', 'sNwkSIntKey', 'fNwkSIntKey'];

function correctDevices(columns: PlannedColumn[]): void {
  const of = (field: string) => columns.find((column) => column.field === field);
  // The Things Stack: the ID is a valid name, the name is free text.
  const [id, name] = [of('name'), columns.find((column) => column.field === '' && bare(column.name) === 'name')];
  if (id && name && bare(id.name) !== 'name') name.field = of('description') ? '' : 'description';
  else if (id && bare(id.name) === 'name') {
    const other = columns.find((column) => column.field === '' && ['id', 'deviceid'].includes(bare(column.name)));
    if (other && of('devEUI') && columns.some((column) => bare(column.name) === 'joineui')) {
      other.field = 'name';
      id.field = of('description') ? '' : 'description';
    }
  }
  // Sheets of vendors have the keys of both ways to activate a device; a session that goes on has counters too.
  const hasRootKey = of('appKey') || of('nwkKey');
  const hasCounter = of('fCntUp') || of('lastFCntUp');
  if (hasRootKey && !hasCounter)
    for (const column of columns) if (sessionFields.includes(column.field)) column.field = '';
}
