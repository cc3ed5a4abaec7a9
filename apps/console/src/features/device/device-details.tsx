import type { Downlink } from '@hilltop/contract';
import { Alert, Skeleton, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { RecordAttention } from '../../components/attention/record-attention.tsx';
import { FactCard } from '../../components/facts/facts.tsx';
import { JoinDoctor } from '../../components/join-doctor/join-doctor.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import classes from './device.module.css';
import { DeviceCharts } from './device-charts.tsx';
import { classText } from './device-class.ts';
import { DeviceQueue } from './device-queue.tsx';
import { batteryText, marginText } from './device-status.tsx';
import { EnqueueForm } from './enqueue-form.tsx';
import { LatestValues } from './latest-values.tsx';
import { SentLately } from './sent-lately.tsx';
import { orNone, useActivation, useDeviceAndProfile, useListening } from './use-device.ts';

export function DeviceDetails() {
  const { organizationID } = useIDs();
  const { device: deviceQuery, profile } = useDeviceAndProfile();
  const deviceProfile = profile.data?.deviceProfile;
  const seesAttention = useMay()('attention.list');
  return (
    <Loaded query={deviceQuery} skeleton={<Skeleton height={200} />}>
      {({ device, lastSeenAt, state, deviceStatusBattery, deviceStatusMargin }) => (
        <div className={classes.page}>
          {deviceProfile?.supportsJoin && <MissingKeys devEUI={device.devEUI} />}
          {deviceProfile?.supportsJoin && (
            <JoinDoctor
              devEUI={device.devEUI}
              applicationID={device.applicationID}
              deviceProfileID={device.deviceProfileID}
              isExpected={lastSeenAt === null || state === 'JOIN_REFUSED'}
            />
          )}
          <LatestValues />
          <div className={classes.cards}>
            <FactCard
              title="Details"
              facts={[
                ['Name', device.name],
                ['Description', device.description],
                [
                  'Device-profile',
                  <AppLink key="profile" to={paths.deviceProfile.one(organizationID, device.deviceProfileID)}>
                    {deviceProfile?.name ?? device.deviceProfileID}
                  </AppLink>,
                ],
                ['Multicast groups', <MulticastGroups key="groups" devEUI={device.devEUI} />],
              ]}
            />
            <FactCard
              title="Status"
              facts={[
                ['Last seen at', <LongDate key="seen" at={lastSeenAt} />],
                [
                  'State',
                  device.isDisabled ? (
                    <Status key="state" tone="inactive">
                      disabled
                    </Status>
                  ) : (
                    'enabled'
                  ),
                ],
                ['Class', <ListeningClass key="class" />],
                ['Link margin', marginText(deviceStatusMargin)],
                ['Battery', batteryText(deviceStatusBattery)],
                ...(seesAttention
                  ? [
                      [
                        'Needs attention',
                        <RecordAttention key="attention" organizationID={organizationID} subjectID={device.devEUI} />,
                      ] as const,
                    ]
                  : []),
              ]}
            />
            <Downlinks
              devEUI={device.devEUI}
              supportsJoin={deviceProfile?.supportsJoin === true}
              isNew={lastSeenAt === null}
            />
          </div>
          <DeviceCharts devEUI={device.devEUI} />
        </div>
      )}
    </Loaded>
  );
}

/** A column of cards. */
function MulticastGroups({ devEUI }: { devEUI: string }) {
  const { organizationID, applicationID } = useIDs();
  const groups = useQuery(query('multicastGroup', 'list', { devEUI, limit: 999, offset: 0 })).data?.result;
  if (!groups) return null;
  if (groups.length === 0) return 'none';
  return groups.map(({ id, name }) => (
    <div key={id}>
      <AppLink to={paths.multicastGroup.one(organizationID, applicationID, id)}>{name}</AppLink>
    </div>
  ));
}

function ListeningClass() {
  const { data } = useListening(false);
  return data ? classText(data) : '–';
}

/** An OTAA device cannot join before its keys are stored. Shown to users who may set them. */
function MissingKeys({ devEUI }: { devEUI: string }) {
  const { organizationID, applicationID } = useIDs();
  const mayRead = useMay()('device.getKeys');
  const keys = useQuery({ ...orNone(query('device', 'getKeys', { devEUI })), enabled: mayRead });
  if (keys.data !== null) return null;
  return (
    <Alert variant="default" icon={<IconKey color="var(--state-attention)" />} title="This device has no keys yet">
      It cannot join before you{' '}
      <AppLink to={paths.deviceKeys(organizationID, applicationID, devEUI)}>set its keys</AppLink>.
    </Alert>
  );
}

interface DownlinksProps {
  devEUI: string;
  supportsJoin: boolean;
  /** Never heard, so probably not activated. */
  isNew: boolean;
}

function Downlinks({ devEUI, supportsJoin, isNew }: DownlinksProps) {
  const activation = useActivation();
  const [again, setAgain] = useState<Downlink>();
  const maySend = useMay()('deviceQueue.enqueue');
  if (activation.data?.deviceActivation.devAddr) {
    return (
      <div className={classes.downlinks}>
        {maySend && <EnqueueForm devEUI={devEUI} again={again} />}
        <DeviceQueue devEUI={devEUI} />
        <SentLately devEUI={devEUI} onAgain={maySend ? (downlink) => setAgain({ ...downlink }) : undefined} />
      </div>
    );
  }
  if (activation.data === undefined && isNew) return <Skeleton className={classes.remark} height={22} />;
  if (activation.data === undefined) return <Skeleton className={classes.downlinks} height={531} />;
  if (!supportsJoin) return null;
  return (
    <Text c="dimmed" className={classes.remark}>
      This device has not (yet) been activated.
    </Text>
  );
}
