/**
 * The records that the application server provisions: plain, JSON-safe (no bytes, no dates), ids in lower-case hex
 * (UUIDs as 32 digits, EUIs as 16). Times are milliseconds since 1970.
 */
export interface Records {
  serviceProfile: ServiceProfileRecord;
  deviceProfile: DeviceProfileRecord;
  routingProfile: RoutingProfileRecord;
  gatewayProfile: GatewayProfileRecord;
  device: DeviceRecord;
  gateway: GatewayRecord;
  gatewaySeen: GatewaySeenRecord;
  multicastGroup: MulticastGroupRecord;
}

export type RecordKind = keyof Records;

interface Provisioned {
  createdAt: number;
  updatedAt: number;
}

/** Key: the profile's id. */
export interface ServiceProfileRecord extends Provisioned {
  ulRate: number;
  ulBucketSize: number;
  ulRatePolicy: 'DROP' | 'MARK';
  dlRate: number;
  dlBucketSize: number;
  dlRatePolicy: 'DROP' | 'MARK';
  addGwMetadata: boolean;
  /** Device status requests per day, 0 = never. */
  devStatusReqFreq: number;
  reportDevStatusBattery: boolean;
  reportDevStatusMargin: boolean;
  drMin: number;
  drMax: number;
  channelMask: string;
  prAllowed: boolean;
  hrAllowed: boolean;
  raAllowed: boolean;
  nwkGeoLoc: boolean;
  targetPer: number;
  minGwDiversity: number;
  /** Gateways with this service-profile serve only devices with the same one. */
  gwsPrivate: boolean;
}

/** Key: the profile's id. */
export interface DeviceProfileRecord extends Provisioned {
  supportsClassB: boolean;
  classBTimeout: number;
  pingSlotPeriod: number;
  pingSlotDr: number;
  pingSlotFreq: number;
  supportsClassC: boolean;
  classCTimeout: number;
  macVersion: string;
  regParamsRevision: string;
  rxDelay1: number;
  rxDrOffset1: number;
  rxDatarate2: number;
  rxFreq2: number;
  factoryPresetFreqs: number[];
  maxEirp: number;
  maxDutyCycle: number;
  supportsJoin: boolean;
  supports32bitFCnt: boolean;
  adrAlgorithmId: string;
}

/** Key: the profile's id. `tlsKey` is a secret. */
export interface RoutingProfileRecord extends Provisioned {
  asId: string;
  caCert: string;
  tlsCert: string;
  tlsKey: string;
}

/** Key: the profile's id. */
export interface GatewayProfileRecord extends Provisioned {
  channels: number[];
  extraChannels: {
    modulation: 'LORA' | 'FSK' | 'LR_FHSS';
    frequency: number;
    bandwidth: number;
    bitrate: number;
    spreadingFactors: number[];
  }[];
  statsIntervalMs: number;
}

/** Key: the device's devEUI. */
export interface DeviceRecord extends Provisioned {
  deviceProfileID: string;
  serviceProfileID: string;
  routingProfileID: string;
  skipFCntCheck: boolean;
  referenceAltitude: number;
  isDisabled: boolean;
}

export interface Position {
  latitude: number;
  longitude: number;
  altitude: number;
  source:
    | 'UNKNOWN'
    | 'GPS'
    | 'CONFIG'
    | 'GEO_RESOLVER_TDOA'
    | 'GEO_RESOLVER_RSSI'
    | 'GEO_RESOLVER_GNSS'
    | 'GEO_RESOLVER_WIFI';
  accuracy: number;
}

/** Key: the gatewayID. `boards[].fineTimestampKey` is a secret. */
export interface GatewayRecord extends Provisioned {
  location: Position;
  routingProfileID: string;
  /** Empty when none. */
  gatewayProfileID: string;
  /** Empty when none. */
  serviceProfileID: string;
  /** Index = concentrator board; hex, empty when unknown. */
  boards: { fpgaID: string; fineTimestampKey: string }[];
}

/** Key: the gateway ID. Stored separately from the gateway, so that a contact never overwrites its configuration. */
export interface GatewaySeenRecord {
  firstSeenAt: number;
  lastSeenAt: number;
  /** Milliseconds by which the clock of the gateway was ahead of ours; earlier versions stored none. */
  clockOffsetMs?: number;
}

/** Key: the group's id. `mcNwkSKey` is a secret. The counter is stored separately, since each downlink changes it. */
export interface MulticastGroupRecord extends Provisioned {
  mcAddr: string;
  mcNwkSKey: string;
  groupType: 'CLASS_B' | 'CLASS_C';
  dr: number;
  /** Hz; 0 in a class B group means the frequency of the region. */
  frequency: number;
  /** Slots from one ping-slot to the next, of 4096 in a beacon period; class B only. */
  pingSlotPeriod: number;
  serviceProfileID: string;
  routingProfileID: string;
}
