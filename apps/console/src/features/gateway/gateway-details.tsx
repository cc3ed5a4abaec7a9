import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { RecordAttention } from '../../components/attention/record-attention.tsx';
import { FactCard } from '../../components/facts/facts.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { DeviceLayerSwitch, DevicePopup, useDeviceLayer } from '../../components/map/device-layer.tsx';
import { WorldMap } from '../../components/map/map.tsx';
import { hasPosition } from '../../components/map/map-point.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { gatewayTone } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';
import { useMay } from '../../session/session.tsx';
import { clockWords } from './clock-words.ts';
import classes from './gateway.module.css';
import { GatewayAvailability } from './gateway-availability.tsx';
import { GatewayCharts } from './gateway-charts.tsx';
import { GatewayDependents } from './gateway-dependents.tsx';
import { LastFrames } from './last-frames.tsx';
import { useGateway } from './use-gateway.ts';

export function GatewayDetails() {
  const gatewayQuery = useGateway();
  const seesAttention = useMay()('attention.list');
  return (
    <Loaded query={gatewayQuery} skeleton={<Skeleton height={400} />}>
      {({ gateway, lastSeenAt, clockOffset }) => {
        const { latitude = 0, longitude = 0, altitude = 0 } = gateway.location ?? {};
        const isPlaced = hasPosition(gateway.location);
        const tone = gatewayTone(lastSeenAt, gatewayQuery.dataUpdatedAt);
        return (
          <>
            <div className={classes.overview}>
              <div className={classes.column}>
                <FactCard
                  title="Details"
                  facts={[
                    [
                      'Gateway ID',
                      <span key="id" className="identifier">
                        {gateway.id}
                      </span>,
                    ],
                    ['Description', gateway.description],
                    ['Altitude', `${altitude} meters`],
                    ['GPS coordinates', isPlaced ? `${latitude}, ${longitude}` : 'Not set'],
                    ['Last seen at', <LongDate key="seen" at={lastSeenAt} />],
                    ...(clockOffset === undefined
                      ? []
                      : [['Clock', <GatewayClock key="clock" offset={clockOffset} />] as const]),
                    ...(seesAttention
                      ? [
                          [
                            'Needs attention',
                            <RecordAttention
                              key="attention"
                              organizationID={gateway.organizationID}
                              subjectID={gateway.id}
                            />,
                          ] as const,
                        ]
                      : []),
                  ]}
                />
                <LastFrames key={gateway.id} gatewayID={gateway.id} />
              </div>
              <GatewayMap
                name={gateway.name}
                organizationID={gateway.organizationID}
                latitude={latitude}
                longitude={longitude}
                tone={isPlaced ? tone : null}
              />
            </div>
            <GatewayAvailability key={`availability/${gateway.id}`} gatewayID={gateway.id} />
            <GatewayDependents key={`dependents/${gateway.id}`} gatewayID={gateway.id} />
            <GatewayCharts gatewayID={gateway.id} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Shown only while the clock differs: timestamps of the gateway are ignored then. */
function GatewayClock({ offset }: { offset: number }) {
  return <Status tone="attention">{clockWords(offset)}</Status>;
}

interface GatewayMapProps {
  name: string;
  organizationID: string;
  latitude: number;
  longitude: number;
  /** Null when the gateway has no location. */
  tone: 'active' | 'inactive' | 'never' | null;
}

/** The gateway, and the devices of its organization on request. */
function GatewayMap({ name, organizationID, latitude, longitude, tone }: GatewayMapProps) {
  const devices = useDeviceLayer(organizationID);
  const points = useMemo(
    () => [
      ...(tone === null ? [] : [{ id: name, label: name, latitude, longitude, tone }]),
      ...(tone === null ? [] : devices.points),
    ],
    [name, latitude, longitude, tone, devices.points],
  );
  return (
    <div>
      <WorldMap
        label={`Map with ${name}`}
        height={400}
        points={points}
        center={{ latitude, longitude }}
        legend={
          devices.isOffered && tone !== null && <DeviceLayerSwitch {...devices} listedCount={devices.points.length} />
        }
        popupOf={({ id }) => {
          const device = devices.deviceOf(id);
          return device ? <DevicePopup device={device} /> : name;
        }}
      />
      {devices.failure && <ErrorState error={devices.failure} retry={devices.retry} />}
    </div>
  );
}
