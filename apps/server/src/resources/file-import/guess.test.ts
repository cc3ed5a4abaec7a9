/** Files in the shapes of other servers, tools and vendors, with invented values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCSV } from '../../table-files/csv.ts';
import { workbook } from '../../table-files/testing/workbook.ts';
import { readXLSX } from '../../table-files/xlsx.ts';
import { guessColumns } from './guess.ts';

const eui = '70b3d57ed0051a01';
const join = '70b3d57ed0000001';
const key = '00112233445566778899aabbccddeeff';
const tag = `LW:D0:${join}:${eui}:00000000`;

/** The name of a shape, its first lines, and the field of each column. */
type Shape = readonly [name: string, file: string | Uint8Array, fields: string];

const devices: Shape[] = [
  [
    'Hilltop',
    `devEUI,name,description,application,deviceProfile,isDisabled,skipFCntCheck,referenceAltitude,latitude,longitude,altitude,nwkKey,appKey,tag.floor,var.token\n${eui}`,
    'devEUI name description application deviceProfile isDisabled skipFCntCheck referenceAltitude latitude longitude altitude nwkKey appKey tag.floor var.token',
  ],
  [
    'Hilltop with sessions',
    `devEUI,nwkKey,devAddr,appSKey,nwkSEncKey,sNwkSIntKey,fNwkSIntKey,fCntUp,nFCntDown,aFCntDown\n${eui}`,
    'devEUI nwkKey devAddr appSKey nwkSEncKey sNwkSIntKey fNwkSIntKey fCntUp nFCntDown aFCntDown',
  ],
  ['a file of failed rows', `devEUI,name,error\n${eui},a,wrong`, 'devEUI name -'],
  [
    'labels of the console',
    `Device EUI,Device name,Device description,Device-profile,Application key\n${eui}`,
    'devEUI name description deviceProfile appKey',
  ],
  [
    'The Things Stack',
    `id;dev_eui;join_eui;name;frequency_plan_id;lorawan_version;lorawan_phy_version;app_key;nwk_key\nnode-1;${eui}`,
    'name devEUI - description - - - appKey nwkKey',
  ],
  ['The Things Stack, by commas', `id,dev_eui,join_eui,app_key\nnode-1,${eui},${join},${key}`, 'name devEUI - appKey'],
  ['The Things Stack, without an ID', `dev_eui,join_eui,name,app_key\n${eui}`, 'devEUI - name appKey'],
  [
    'The Things Stack with sessions',
    `id;dev_eui;dev_addr;app_s_key;f_nwk_s_int_key;last_f_cnt_up;last_n_f_cnt_down;last_a_f_cnt_down\nx;${eui}`,
    'name devEUI devAddr appSKey fNwkSIntKey lastFCntUp lastNFCntDown lastAFCntDown',
  ],
  [
    'The Things Stack with a place',
    `dev_eui;name;description;latitude;longitude;altitude\n${eui}`,
    'devEUI name description latitude longitude altitude',
  ],
  [
    'ChirpStack 4, by messages',
    `dev_eui,name,description,application_id,device_profile_id,nwk_key,is_disabled,skip_fcnt_check,join_eui\n${eui}`,
    'devEUI name description application deviceProfile nwkKey isDisabled skipFCntCheck -',
  ],
  [
    'ChirpStack 4, by scripts',
    `DevEUI,DeviceName,DeviceProfileID,ApplicationID,AppKey\n${eui}`,
    'devEUI name deviceProfile application appKey',
  ],
  [
    'ChirpStack 4, with tags',
    `devEui;name;tags.site;tags.floor;variables.token\n${eui}`,
    'devEUI name tag.site tag.floor var.token',
  ],
  [
    'ChirpStack 3 scripts',
    `deveui,name,description,deviceprofileid,nwkkey,appkey\n${eui}`,
    'devEUI name description deviceProfile nwkKey appKey',
  ],
  [
    'ThingPark with names',
    `Device EUI,Device name,Application EUI,Application key,Latitude,Longitude,Administrative info\n${eui}`,
    'devEUI name - appKey latitude longitude description',
  ],
  [
    'ThingPark, the list of commands',
    `CREATE_OTAA,${eui},,LORA/GenericA.1.0.3a_ETSI,${join},${key}\nCREATE_OTAA,70b3d57ed0051a02,,LORA/GenericA.1.0.3a_ETSI,${join},${key}`,
    '- devEUI - - - appKey',
  ],
  ['LORIOT', `DevEUI,Title,AppEUI,AppKey,lat,lng\n${eui}`, 'devEUI name - appKey latitude longitude'],
  ['Helium', `DevEUI,AppEUI,AppKey,Label\n${eui}`, 'devEUI - appKey name'],
  ['a vendor: serial number first', `SN,DevEUI,AppEUI,AppKey\n6136A1,${eui},${join},${key}`, '- devEUI - appKey'],
  ['a vendor: spaces and capitals', `DEV EUI,APP EUI,APP KEY\n${eui}`, 'devEUI - appKey'],
  [
    'a vendor: both activations',
    `SN,DEV EUI,APP EUI,APP KEY,DEV ADDR,APP SKEY,NWK SKEY\nA1,${eui},${join},${key},01020304,${key},${key}`,
    '- devEUI - appKey - - -',
  ],
  [
    'a vendor: ABP',
    `DevEUI,DevAddr,NwkSKey,AppSKey\n${eui},01020304,${key},${key}`,
    'devEUI devAddr nwkSEncKey appSKey',
  ],
  ['a vendor: hyphens', `Dev-EUI;Join-EUI;App-Key\n70-B3-D5-7E-D0-05-1A-01;${join};${key}`, 'devEUI - appKey'],
  ['a vendor: EUI64', `EUI64,Key\n0x${eui},${key}`, 'devEUI appKey'],
  ['a vendor: LoRa prefixes', `LoRaWAN DevEUI,LoRaWAN JoinEUI,LoRaWAN AppKey\n${eui}`, 'devEUI - appKey'],
  ['a vendor: little-endian', `DevEUI (LSB),AppKey\n011a05d07ed5b370,${key}`, 'devEUI! appKey'],
  ['a vendor: QR codes', `No,QR code,Key\n1,${tag},${key}`, '- onboardingTag appKey'],
  ['a vendor: a code without a name', `Box,Text\n1,${tag}`, '- onboardingTag'],
  ['a vendor: no names', `${eui},${key}\n70b3d57ed0051a02,${key}`, 'devEUI appKey'],
  ['a vendor: no names, JoinEUI second', `${eui},${join},${key}\n70b3d57ed0051a02,${join},${key}`, 'devEUI - appKey'],
  ['a vendor: other words', `Node,Identifier,Secret\nA,${eui},${key}\nB,70b3d57ed0051a02,${key}`, '- devEUI appKey'],
  ['a vendor: a JoinEUI before the EUI', `JoinEUI,Node\n${join},${eui}`, '- devEUI'],
  ['a vendor: comments', `deveui,appkey,comment\n${eui},${key},spare`, 'devEUI appKey description'],
  ['a vendor: OTAA in the name', `DevEUI,OTAA AppKey\n${eui}`, 'devEUI appKey'],
  ['a vendor: two keys of 1.1', `DevEUI,JoinEUI,NwkKey,AppKey\n${eui}`, 'devEUI - nwkKey appKey'],
  ['a vendor: GPS', `DevEUI,GPS latitude,GPS longitude,Elevation\n${eui},1,2,3`, 'devEUI latitude longitude altitude'],
  [
    'a vendor: XLSX',
    workbook([
      ['Serial', 'DevEUI', 'AppKey'],
      ['1', eui, key],
    ]),
    '- devEUI appKey',
  ],
  [
    'a vendor: XLSX with numbers',
    workbook([
      ['DevEUI', 'Floor'],
      [eui, { number: '2' }],
    ]),
    'devEUI -',
  ],
  ['tabs, as copied from a spreadsheet', `DevEUI\tName\tAppKey\n${eui}\ta\t${key}`, 'devEUI name appKey'],
  ['a column twice', `DevEUI,DevEUI,Name,Name\n${eui},${eui},a,b`, 'devEUI - name -'],
  ['names that are properties of objects', `constructor,__proto__,devEUI\na,b,${eui}`, '- - devEUI'],
  ['tags with dots and spaces', `devEUI,tag.floor.east,tag: room\n${eui},1,2`, 'devEUI tag.floor.east tag.room'],
  ['one column of EUIs', `${eui}\n70b3d57ed0051a02\n`, 'devEUI'],
];

const gateways: Shape[] = [
  [
    'Hilltop',
    `id,name,description,networkServer,gatewayProfile,serviceProfile,discoveryEnabled,latitude,longitude,altitude,tag.site\n${eui}`,
    'id name description networkServer gatewayProfile serviceProfile discoveryEnabled latitude longitude altitude tag.site',
  ],
  ['The Things Stack', `gateway_eui,name,latitude,longitude\n${eui}`, 'id name latitude longitude'],
  ['ChirpStack 4', `gateway_id,name,description,stats_interval\n${eui}`, 'id name description -'],
  ['a vendor', `SN,Gateway EUI,Model\n1,${eui},outdoor`, '- id -'],
  ['no names', `${eui},roof\n70b3d57ed0051a02,hill`, 'id -'],
];

for (const [kind, shapes] of [
  ['DEVICES', devices],
  ['GATEWAYS', gateways],
] as const)
  describe(`the columns of ${kind.toLowerCase()}`, () => {
    for (const [name, file, fields] of shapes)
      it(`are recognized in a file of this shape: ${name}`, () => {
        const table = typeof file === 'string' ? readCSV(new TextEncoder().encode(`${file}\n`)) : readXLSX(file);
        const found = guessColumns(kind, table).map(
          ({ field, isReversed }) => `${field || '-'}${isReversed ? '!' : ''}`,
        );
        assert.equal(found.join(' '), fields);
      });
  });
