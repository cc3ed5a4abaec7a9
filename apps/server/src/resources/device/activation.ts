import { type DeviceActivation, refusal } from '@hilltop/contract';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { openAppSKey } from '../../events/activation.ts';
import { appSKeyPurpose } from '../../events/device-context.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Secrets } from '../../secrets.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { loadDevice } from './store.ts';

const bytes = (hex: string) => Uint8Array.fromHex(hex);

export interface ActivationDependencies {
  database: Database;
  networks: Networks;
  secrets: Secrets;
  keyEnvelopes: KeyEnvelopes;
}

/** Activation by personalization: sends the network keys to the network server and stores the AppSKey here. */
export async function activate(needs: ActivationDependencies, activation: DeviceActivation): Promise<void> {
  const { database, networks, secrets } = needs;
  const { devEUI } = activation;
  const { network_server_id } = await loadDevice(database, devEUI);
  // Locks the device, so that two activations at once run one after the other.
  await database.query
    .updateTable('device')
    .set({ dev_addr: activation.devAddr, app_s_key: secrets.seal(bytes(activation.appSKey), appSKeyPurpose(devEUI)) })
    .where('dev_eui', '=', devEUI)
    .execute();
  const network = await networks.of(network_server_id);
  await deactivateAt(network, devEUI);
  await network.activateDevice({
    deviceActivation: {
      devEui: bytes(devEUI),
      devAddr: bytes(activation.devAddr),
      fNwkSIntKey: bytes(activation.fNwkSIntKey),
      sNwkSIntKey: bytes(activation.sNwkSIntKey),
      nwkSEncKey: bytes(activation.nwkSEncKey),
      fCntUp: activation.fCntUp,
      nFCntDown: activation.nFCntDown,
      aFCntDown: activation.aFCntDown,
      skipFCntCheck: false,
    },
  });
}

/** A device without a session is deactivated already. */
export async function deactivateAt(network: ns.NetworkServerService, devEUI: string): Promise<void> {
  await ignoreNotFound(network.deactivateDevice({ devEui: bytes(devEUI) }));
}

const noSession = (devEUI: string) => refusal('NOT_ACTIVATED', { devEUI });

export async function loadActivation(
  { database, networks, secrets, keyEnvelopes }: ActivationDependencies,
  devEUI: string,
): Promise<DeviceActivation> {
  const device = await loadDevice(database, devEUI);
  const network = await networks.of(device.network_server_id);
  const { deviceActivation: session } = await network
    .getDeviceActivation({ devEui: bytes(devEUI) })
    .catch((error: unknown) => {
      throw error instanceof RpcError && error.code === 'NotFound' ? noSession(devEUI) : error;
    });
  if (!session) throw noSession(devEUI);
  const untold = await networks.embedded.newActivationOf(device.network_server_id, devEUI);
  const appSKey = untold ? openAppSKey(keyEnvelopes, untold) : secrets.open(device.app_s_key, appSKeyPurpose(devEUI));
  return {
    devEUI,
    devAddr: session.devAddr.toHex(),
    appSKey: appSKey.toHex(),
    nwkSEncKey: session.nwkSEncKey.toHex(),
    sNwkSIntKey: session.sNwkSIntKey.toHex(),
    fNwkSIntKey: session.fNwkSIntKey.toHex(),
    fCntUp: session.fCntUp,
    nFCntDown: session.nFCntDown,
    aFCntDown: session.aFCntDown,
  };
}
