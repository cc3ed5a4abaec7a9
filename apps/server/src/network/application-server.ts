import type { ApplicationServer } from '@hilltop/network-server';
import { onAck, onTxAck } from '../events/downlink.ts';
import { onError } from '../events/error.ts';
import type { EventNeeds } from '../events/event-needs.ts';
import { onGatewayStats } from '../events/gateway-stats.ts';
import { onLocation } from '../events/location.ts';
import { reEncryptQueue } from '../events/re-encrypt-queue.ts';
import { onStatus } from '../events/status.ts';
import { onUplink } from '../events/up.ts';
import { noEffect } from './effect.ts';

/** The `as` service as embedded network servers call it: which event handler answers which message. */
export function createApplicationServer(needs: EventNeeds): ApplicationServer {
  return {
    handleUplinkData: (request) => onUplink(needs, request),
    handleDownlinkACK: (request) => onAck(needs, request),
    handleTxAck: (request) => onTxAck(needs, request),
    handleError: (request) => onError(needs, request),
    handleGatewayStats: (request) => onGatewayStats(needs, request),
    setDeviceStatus: (request) => onStatus(needs, request),
    setDeviceLocation: (request) => onLocation(needs, request),
    // Only gateway discovery sends proprietary frames, and no ping of ours is under way without it.
    handleProprietaryUplink: () => Promise.resolve(noEffect('proprietary uplink')),
    reEncryptDeviceQueueItems: (request, next) => reEncryptQueue(needs, request, next),
  };
}
