import type { ApplicationServer } from '@hilltop/network-server';
import { onPingReceived } from '../discovery/ping-reception.ts';
import { onJoin } from '../events/activation.ts';
import { onAck, onTxAck } from '../events/downlink.ts';
import { noEffect, type ServerEffect } from '../events/effect.ts';
import { onError } from '../events/error.ts';
import type { EventDependencies } from '../events/event-dependencies.ts';
import { onFrame } from '../events/frame.ts';
import { onGatewayStats } from '../events/gateway-stats.ts';
import { onLocation } from '../events/location.ts';
import { reEncryptQueue } from '../events/re-encrypt-queue.ts';
import { onStatus } from '../events/status.ts';
import { onUplink } from '../events/up.ts';

/** The `as` service for embedded network servers: maps each message to its event handler. */
export function createApplicationServer(needs: EventDependencies): ApplicationServer {
  return {
    handleUplinkData: (request, radio) => onUplink(needs, request, radio),
    handleJoin: (join) => onJoin(needs, join),
    handleDownlinkACK: (request) => onAck(needs, request),
    handleTxAck: (request, sent) => onTxAck(needs, request, sent),
    handleError: (request) => onError(needs, request),
    handleGatewayStats: (request) => onGatewayStats(needs, request),
    reportFrame: (report) => onFrame(needs, report),
    setDeviceStatus: (request) => onStatus(needs, request),
    setDeviceLocation: (request) => onLocation(needs, request),
    handleProprietaryUplink: async (request) => {
      const received = await onPingReceived(needs, request);
      if (!received) return noEffect('proprietary uplink');
      const effect: ServerEffect = {
        about: `ping of gateway ${received.sender}`,
        write: () => received.write(needs.database),
      };
      return effect;
    },
    reEncryptDeviceQueueItems: (request, move) => reEncryptQueue(needs, request, move),
  };
}
