import type { Device, FrameLogItem } from '@hilltop/contract';
import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useAppeared } from '../../components/appeared/use-appeared.ts';
import { JoinDoctor } from '../../components/join-doctor/join-doctor.tsx';
import { isUsedNonce, joinErrorText } from '../../components/join-doctor/join-errors.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { base64ToHex } from '../../components/live-log/identifiers.ts';
import { formatRSSI } from '../../components/live-log/radio.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { LostConnection } from '../../components/states/lost-connection.tsx';
import { Step, Steps } from '../../components/steps/steps.tsx';
import { Values } from '../../components/values/values.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { CodecPreview } from './codec-preview.tsx';
import { decodedValues, type EventItem, payloadOf } from './event-kind.ts';
import { useDeviceOf, useProfileOf } from './use-device.ts';
import { useLastEvents } from './use-last-events.tsx';
import { useQuantities } from './use-quantities.ts';

const mostValues = 12;
const waitingRefreshMs = 3_000;

interface Props {
  devEUI: string;
  applicationID: string;
}

/** The steps from the first frame of a new device to its first value, with the details of each. */
export function DeviceWaiting({ devEUI, applicationID }: Props) {
  // It may be deleted in the meantime.
  const device = useDeviceOf(devEUI, waitingRefreshMs);
  return (
    <Loaded query={device}>
      {(answer) => <Progress devEUI={devEUI} applicationID={applicationID} device={answer.device} />}
    </Loaded>
  );
}

function Progress({ devEUI, applicationID, device }: Props & { device: Device }) {
  const { organizationID } = useIDs();
  const { request, isAnswered, joined, refused, uplink, decoded, state } = useProgress(devEUI);
  const mayIntegrate = useMay()('application.listIntegrations');
  const quantitiesOf = useQuantities(devEUI, decoded);
  const values = uplink ? decodedValues(uplink, mostValues, quantitiesOf(uplink)) : [];
  const isJoined = joined !== undefined || uplink !== undefined;
  const isRefused = refused !== undefined && !isJoined;
  const progress = useAppeared();
  return (
    <Stack maw={720}>
      <Paper component="section" aria-label="State of the device" aria-live="polite" tabIndex={-1} ref={progress}>
        <Steps label="State of the device">
          <Step title={`Added as ${device.name}`} isDone />
          <Step
            title={request || isJoined ? 'Received' : 'Waiting for join'}
            isDone={request !== undefined || isJoined}
          >
            {request ? receptionText(request) : isJoined ? undefined : 'Turn the device on or press its reset button.'}
          </Step>
          <Step
            title={isJoined ? 'Joined' : isRefused ? 'Join refused' : 'Join'}
            isDone={isJoined}
            isFailed={isRefused}
          >
            {joined
              ? `Its address is ${base64ToHex(payloadOf(joined).devAddr ?? '')}.`
              : isAnswered &&
                'The join was accepted. The first uplink will confirm that the device received the join-accept.'}
          </Step>
          <Step title="First value" isDone={values.length > 0}>
            {isJoined && !uplink ? 'Waiting for its first uplink.' : undefined}
          </Step>
        </Steps>
        <LostConnection state={state} />
      </Paper>
      {!isJoined && (
        <JoinDoctor
          isBrief
          devEUI={devEUI}
          applicationID={applicationID}
          deviceProfileID={device.deviceProfileID}
          otherwise={refused && isRefused && <Refused error={refused} applicationID={applicationID} devEUI={devEUI} />}
        />
      )}
      {values.length > 0 && (
        <Appearing title="First value">
          <Values label="Decoded values" values={values} />
          {mayIntegrate && (
            <Text c="dimmed" mt="sm">
              Next, send the values to your own system with an{' '}
              <AppLink to={paths.integrations(organizationID, applicationID)}>integration</AppLink>.
            </Text>
          )}
        </Appearing>
      )}
      {uplink && values.length === 0 && <NotDecoded uplink={uplink} device={device} />}
      <Group justify="flex-end">
        <AddAnother applicationID={applicationID} />
        <LinkButton
          variant={values.length > 0 ? 'filled' : 'default'}
          to={paths.device.one(organizationID, applicationID, devEUI)}
        >
          Open the device
        </LinkButton>
      </Group>
    </Stack>
  );
}

/** A section that gets the focus when it appears. */
function Appearing({ title, children }: { title: string; children: ReactNode }) {
  const section = useAppeared();
  return (
    <Paper component="section" aria-label={title} tabIndex={-1} ref={section}>
      <Title order={2} size="h3" mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

function AddAnother({ applicationID }: { applicationID: string }) {
  const { organizationID } = useIDs();
  return (
    <LinkButton variant="default" to={paths.deviceAdd(organizationID)} search={{ application: applicationID } as never}>
      Add another
    </LinkButton>
  );
}

type Request = NonNullable<FrameLogItem['uplinkFrame']>;
type Accept = NonNullable<FrameLogItem['downlinkFrame']>;

/** The last of each kind; both streams begin with stored items. */
function useProgress(devEUI: string) {
  const [request, setRequest] = useState<Request>();
  const [accept, setAccept] = useState<Accept>();
  const { state } = useLive<FrameLogItem>(`/api/devices/${devEUI}/frames`, ({ uplinkFrame, downlinkFrame }) => {
    if (uplinkFrame?.phyPayloadJSON.includes('JoinRequest')) setRequest(uplinkFrame);
    if (downlinkFrame?.phyPayloadJSON.includes('JoinAccept')) setAccept(downlinkFrame);
  });
  const { join: joined, error, up: uplink, decoded } = useLastEvents(devEUI);
  // They arrive on two streams: only their timestamps say which is later.
  const isAnswered = accept !== undefined && msOf(accept) >= msOf(error);
  return { request, isAnswered, joined, refused: isAnswered ? undefined : error, uplink, decoded, state };
}

const msOf = (entry: { publishedAt: string | null } | undefined): number => Date.parse(entry?.publishedAt ?? '') || 0;

function receptionText({ rxInfo }: Request): string {
  const [best] = rxInfo.toSorted((one, other) => other.rssi - one.rssi);
  if (!best) return '';
  const others = rxInfo.length > 1 ? ` and ${rxInfo.length - 1} more` : '';
  return `By gateway ${base64ToHex(best.gatewayID ?? '')} at ${formatRSSI(best.rssi)} dBm${others}.`;
}

function Refused({ error, applicationID, devEUI }: Props & { error: EventItem }) {
  const { organizationID } = useIDs();
  const errorText = payloadOf(error).error ?? '';
  const isNonce = isUsedNonce(errorText);
  return (
    <Alert color="red" role="status" title="Its join was refused">
      <Text size="sm">{joinErrorText(errorText)}</Text>
      <Text size="sm">
        {isNonce ? (
          <AppLink to={paths.deviceActivation(organizationID, applicationID, devEUI)}>Clear its DevNonces</AppLink>
        ) : (
          <>
            <AppLink to={paths.deviceKeys(organizationID, applicationID, devEUI)}>Check its key</AppLink>, and whether
            its bytes are in the right order (MSB first).
          </>
        )}
      </Text>
    </Alert>
  );
}

/** Gets the focus of the button that saved the codec. */
function CodecSaved({ children }: { children: ReactNode }) {
  const text = useAppeared<HTMLParagraphElement>();
  return (
    <Text c="dimmed" mt="xs" tabIndex={-1} ref={text}>
      {children}
    </Text>
  );
}

/** Bytes without a codec are not a value: a codec is tried on them before it is saved. */
function NotDecoded({ uplink, device }: { uplink: EventItem; device: Device }) {
  const { organizationID } = useIDs();
  const may = useMay();
  const profile = useProfileOf(device.deviceProfileID).data?.deviceProfile;
  const [savedFor, setSavedFor] = useState<string>();
  const { data = '', fPort = 0 } = payloadOf(uplink);
  if (!profile) return null;
  const toProfile = <AppLink to={paths.deviceProfile.one(organizationID, profile.id)}>{profile.name}</AppLink>;
  const hex = base64ToHex(data ?? '');
  return (
    <Appearing title="The uplink was received but not decoded">
      <Text>
        Port {fPort}: <span className="identifier">{hex || 'no bytes'}</span>
      </Text>
      {savedFor === uplink.streamID ? (
        <CodecSaved>The codec of {toProfile} reads the next uplink.</CodecSaved>
      ) : (
        hex !== '' && (
          <>
            <Text c="dimmed" mt="xs">
              A codec decodes bytes into values, for all devices of {toProfile}. Try one on these bytes before it is
              saved.
            </Text>
            {may('deviceProfile.update') && (
              <CodecPreview
                uplink={uplink}
                device={device}
                profile={profile}
                onSaved={() => setSavedFor(uplink.streamID)}
              />
            )}
          </>
        )
      )}
    </Appearing>
  );
}
