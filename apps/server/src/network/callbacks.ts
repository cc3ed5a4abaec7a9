import {
  type ApplicationServer,
  type Count,
  createOccasionalLog,
  type Effect,
  type Log,
} from '@hilltop/network-server';
import { type as, RpcError } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { onActivation } from '../events/activation.ts';
import { enact } from '../events/effect.ts';
import type { EventDependencies } from '../events/event-dependencies.ts';
import { isEmbedded } from './embedded-address.ts';

interface Noting {
  count: Count;
  log: Log;
}

type ServerRow = RowOf<'network_server', 'server'>;

const serverOfDevice = statement<ServerRow>()({
  sql: `select network_server.server from device
    inner join device_profile on device_profile.id = device.device_profile_id
    inner join network_server on network_server.id = device_profile.network_server_id
    where dev_eui = $id`,
  given: { id: 'text' },
});

const serverOfGateway = statement<ServerRow>()({
  sql: `select network_server.server from gateway
    inner join network_server on network_server.id = gateway.network_server_id
    where gateway.id = $id`,
  given: { id: 'text' },
});

/**
 * The `as` service for remote network servers: the handlers of the embedded ones, but each effect is written at once
 * and alone, because the session is stored at the remote server. Calls about records of embedded network servers are
 * refused.
 */
export function createCallbacks(
  needs: EventDependencies & Noting,
  applicationServer: ApplicationServer,
  gatewayHeard: (gatewayID: string) => void,
): as.ApplicationServerService {
  const { database, downlinkSteps } = needs;
  const { device, gateway } = refusals(database);

  async function write(...effects: Effect[]): Promise<Record<string, never>> {
    const run = async () => {
      for (const effect of effects) await enact(effect);
      return true;
    };
    await database.commit({ run });
    return {};
  }

  return noteRefusals(needs, {
    handleUplinkData: async (request) => {
      await device(request.devEui, 'Internal');
      // The network server discards the AppSKey after sending it, so it is stored before anything else can fail.
      const activation = await onActivation(needs, request);
      // Its network server has flushed the queue of the former session.
      if (activation) await write(activation, downlinkSteps.endAll(request.devEui.toHex(), 'REJOINED'));
      return write(await applicationServer.handleUplinkData(request));
    },
    handleDownlinkACK: async (request) => {
      await device(request.devEui, 'Internal');
      const { devEui, fCnt, acknowledged } = request;
      const step = acknowledged ? 'ACKNOWLEDGED' : 'UNACKNOWLEDGED';
      const report = downlinkSteps.ofRemote(devEui, fCnt, { step });
      return write(await applicationServer.handleDownlinkACK(request), report);
    },
    handleTxAck: async (request) => {
      await device(request.devEui, 'Internal');
      const { devEui, fCnt, gatewayId, txInfo } = request;
      const where = { gatewayID: gatewayId.toHex(), frequency: txInfo?.frequency ?? 0 };
      const report = downlinkSteps.ofRemote(devEui, fCnt, { step: 'SENT', ...where });
      return write(await applicationServer.handleTxAck(request), report);
    },
    handleError: async (request) => {
      await device(request.devEui, 'Internal');
      const { devEui, fCnt, type, error: reason } = request;
      const step = stepOfError[type];
      const report = step ? [downlinkSteps.ofRemote(devEui, fCnt, { step, reason })] : [];
      return write(await applicationServer.handleError(request), ...report);
    },
    handleProprietaryUplink: async (request) => {
      if (!request.txInfo) throw new RpcError('InvalidArgument', 'tx_info is missing.');
      return write(await applicationServer.handleProprietaryUplink(request));
    },
    handleGatewayStats: async (request) => {
      await gateway(request.gatewayId);
      gatewayHeard(request.gatewayId.toHex());
      return write(await applicationServer.handleGatewayStats(request));
    },
    setDeviceStatus: async (request) => {
      await device(request.devEui, 'NotFound');
      return write(await applicationServer.setDeviceStatus(request));
    },
    setDeviceLocation: async (request) => {
      await device(request.devEui, 'NotFound');
      return write(await applicationServer.setDeviceLocation(request));
    },
    reEncryptDeviceQueueItems: async (request) => {
      await device(request.devEui, 'NotFound');
      const answer = await applicationServer.reEncryptDeviceQueueItems(request);
      await write(downlinkSteps.renumbered(request));
      return answer;
    },
  });
}

/** The errors that are about a queued downlink. */
const stepOfError: Partial<Record<as.ErrorType, 'TOO_LARGE' | 'SESSION_REPLACED' | 'GATEWAY_REFUSED'>> = {
  DEVICE_QUEUE_ITEM_SIZE: 'TOO_LARGE',
  DEVICE_QUEUE_ITEM_FCNT: 'SESSION_REPLACED',
  DATA_DOWN_GATEWAY: 'GATEWAY_REFUSED',
};

/** Checks that refuse what is on an embedded network server. */
function refusals(database: Database) {
  async function refuseEmbedded(
    what: string,
    row: Promise<{ server: string } | undefined>,
    code: 'Internal' | 'NotFound',
  ) {
    const found = await row;
    if (found && isEmbedded(found)) throw new RpcError(code, `There is no ${what} on a remote network-server.`);
  }
  const device = (devEui: Uint8Array, code: 'Internal' | 'NotFound') =>
    refuseEmbedded(`device ${devEui.toHex()}`, serverOfDevice(database).first({ id: devEui.toHex() }), code);
  const gateway = (id: Uint8Array) =>
    refuseEmbedded(`gateway ${id.toHex()}`, serverOfGateway(database).first({ id: id.toHex() }), 'NotFound');
  return { device, gateway };
}

/**
 * Counts and logs calls about records that this server does not know or has on another network server. The received
 * message is lost, and otherwise only the log of the remote network server would show it.
 */
function noteRefusals(
  { count, clock, log }: Noting & Pick<EventDependencies, 'clock'>,
  callbacks: as.ApplicationServerService,
): as.ApplicationServerService {
  const warn = createOccasionalLog(clock, log);
  const methods = Object.entries(callbacks).map(([method, handle]) => [
    method,
    async (request: { devEui?: Uint8Array; gatewayId?: Uint8Array }) => {
      try {
        return await (handle as (request: object) => Promise<object>)(request);
      } catch (error) {
        if (error instanceof RpcError) {
          count('remote_calls_refused', { method, code: error.code });
          const about = { devEUI: request.devEui?.toHex(), gatewayID: request.gatewayId?.toHex() };
          warn(
            `${method} ${error.code}`,
            { method, ...about, err: error },
            'a call of a remote network server is refused: register here what it is about, or have that network server call its own application server',
          );
        }
        throw error;
      }
    },
  ]);
  return Object.fromEntries(methods) as as.ApplicationServerService;
}
