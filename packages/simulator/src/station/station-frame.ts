/** The fields of a frame, as a station sends them. */
import { formatExact } from '@hilltop/gateway-protocols';

type Fields = Record<string, number | string>;

/** How a station received a frame. Frequency in Hz, strength in dBm and dB, times in microseconds. */
export interface StationReception {
  dr: number;
  frequency: number;
  rssi: number;
  snr: number;
  /** The internal time of the station. */
  xtime: bigint;
  /** 0 when unknown. */
  gpstime?: bigint;
  /** In UTC. */
  time?: Date;
}

/** The message for a received frame. */
export function stationMessage(phyPayload: Uint8Array, received: StationReception): string {
  const { dr, frequency, rssi, snr, xtime, gpstime = 0n, time } = received;
  const times = { xtime: String(xtime), gpstime: String(gpstime), fts: -1, rxtime: (time?.getTime() ?? 0) / 1000 };
  const upinfo = { rctx: '0', ...times, rssi, snr };
  return formatExact({ ...fieldsOf(phyPayload), RefTime: 0, DR: dr, Freq: frequency, upinfo });
}

function fieldsOf(phyPayload: Uint8Array): Fields {
  const view = new DataView(phyPayload.buffer, phyPayload.byteOffset, phyPayload.length);
  const mHDR = view.getUint8(0);
  const frame = { MHdr: mHDR, MIC: phyPayload.length >= 5 ? view.getInt32(phyPayload.length - 4, true) : 0 };
  switch (mHDR >>> 5) {
    case 0:
      return {
        msgtype: 'jreq',
        ...frame,
        JoinEui: dashed(phyPayload.subarray(1, 9)),
        DevEui: dashed(phyPayload.subarray(9, 17)),
        DevNonce: view.getUint16(17, true),
      };
    case 2:
    case 4:
      return { msgtype: 'updf', ...frame, ...dataFieldsOf(phyPayload, view) };
    case 6:
      return { msgtype: 'rejoin', ...frame, pdu: phyPayload.toHex() };
    default:
      return { msgtype: 'propdf', FRMPayload: phyPayload.toHex() };
  }
}

function dataFieldsOf(phyPayload: Uint8Array, view: DataView): Fields {
  const fCtrl = view.getUint8(5);
  const fOptsEnd = 8 + (fCtrl & 0x0f);
  const hasPort = phyPayload.length - 4 > fOptsEnd;
  return {
    DevAddr: view.getInt32(1, true),
    FCtrl: fCtrl,
    FCnt: view.getUint16(6, true),
    FOpts: phyPayload.subarray(8, fOptsEnd).toHex(),
    FPort: hasPort ? view.getUint8(fOptsEnd) : -1,
    FRMPayload: phyPayload.subarray(hasPort ? fOptsEnd + 1 : fOptsEnd, -4).toHex(),
  };
}

/** EUIs are transmitted in reverse order. */
function dashed(onAir: Uint8Array): string {
  return (onAir.toReversed().toHex().match(/../g) ?? []).join('-');
}
