import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, devEUI } from '../testing/rig.ts';

const places = {
  '0b00000000000001': { latitude: 52.1, longitude: 5.2, altitude: 30 },
  '0b00000000000002': { latitude: 52.13, longitude: 5.2, altitude: 30 },
  '0b00000000000003': { latitude: 52.1, longitude: 5.25, altitude: 30 },
};

async function receivedBy(serviceProfile: { nwkGeoLoc: boolean; addGwMetadata?: boolean }, gatewayIDs: string[]) {
  const rig = await createRig({ serviceProfile, device: { referenceAltitude: 12 } });
  for (const [gatewayID, location] of Object.entries(places)) await rig.addGateway(gatewayID, { location });
  const device = await rig.activated();
  const uplink = device.uplink({ fPort: 5 });
  for (const [at, gatewayID] of gatewayIDs.entries())
    await rig.receiveFrame(uplink, { gatewayID, rssi: -90 - 10 * at });
  await rig.clock.advance(1000);
  return rig.application.calls.filter(({ event }) => event === 'up' || event === 'location');
}

describe('network geolocation', () => {
  it('locates a device after an uplink that three gateways received', async () => {
    const [up, located] = await receivedBy({ nwkGeoLoc: true, addGwMetadata: false }, Object.keys(places));
    assert.equal(up?.event, 'up');
    assert.ok(located?.event === 'location');
    const { latitude, longitude, altitude, source, accuracy } = located.location!;
    assert.equal(located.devEUI, devEUI);
    assert.ok(Math.abs(latitude - 52.1) < 0.05 && Math.abs(longitude - 5.2) < 0.05);
    assert.equal(source, 'GEO_RESOLVER_RSSI');
    assert.equal(altitude, 12);
    assert.ok(accuracy > 100);
    assert.equal(located.uplinkIDs.length, 3);
  });

  it('does not locate it when two received it, or when the service-profile excludes it', async () => {
    const two = await receivedBy({ nwkGeoLoc: true }, Object.keys(places).slice(1));
    assert.deepEqual(
      two.map(({ event }) => event),
      ['up'],
    );
    const unwanted = await receivedBy({ nwkGeoLoc: false }, Object.keys(places));
    assert.deepEqual(
      unwanted.map(({ event }) => event),
      ['up'],
    );
  });
});
