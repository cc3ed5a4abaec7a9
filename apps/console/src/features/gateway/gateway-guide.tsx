import type { FrameLogItem } from '@hilltop/contract';
import { Alert, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { query } from '../../api/queries.ts';
import { useAppeared } from '../../components/appeared/use-appeared.ts';
import { Lines } from '../../components/copy/lines.tsx';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { Facts } from '../../components/facts/facts.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { LostConnection } from '../../components/states/lost-connection.tsx';
import { Step, Steps } from '../../components/steps/steps.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { linesFor } from './gateway-lines.ts';
import { linkWords } from './link-words.ts';

const refreshMs = 2_000;

/** How to configure a registered gateway, and whether it has connected. */
export function GatewayGuide({ gatewayID }: { gatewayID: string }) {
  const gateway = useQuery({ ...query('gateway', 'get', { id: gatewayID }), refetchInterval: refreshMs, staleTime: 0 });
  return (
    <Loaded query={gateway}>
      {({ gateway: { name, networkServerID }, lastSeenAt }) => (
        <Guide gatewayID={gatewayID} name={name} networkServerID={networkServerID} wasSeen={lastSeenAt !== null} />
      )}
    </Loaded>
  );
}

interface Props {
  gatewayID: string;
  name: string;
  networkServerID: string;
  wasSeen: boolean;
}

/** The lines for the gateway come first until it is online, then the next step does. */
function Guide({ gatewayID, name, networkServerID, wasSeen }: Props) {
  const { frames, state } = useReceivedFrames(gatewayID);
  const isOnline = wasSeen || frames > 0;
  const [wasOnlineAtFirst] = useState(isOnline);
  const progress = useAppeared();
  return (
    <Stack maw={720}>
      <Paper component="section" aria-label="State of the gateway" aria-live="polite" tabIndex={-1} ref={progress}>
        <Steps label="State of the gateway">
          <Step title={`Registered as ${name}`} isDone />
          <Step title={isOnline ? 'Online' : 'Waiting for it'} isDone={isOnline}>
            {isOnline
              ? undefined
              : 'This page updates when the gateway connects. Configure the gateway as described below.'}
          </Step>
          <Step title={frames === 1 ? '1 frame received' : `${frames} frames received`} isDone={frames > 0}>
            {frames > 0 ? undefined : 'Any LoRaWAN device nearby counts.'}
          </Step>
        </Steps>
        <LostConnection state={state} />
      </Paper>
      {isOnline ? (
        <>
          <NextStep gatewayID={gatewayID} isOnline isNews={!wasOnlineAtFirst} />
          <Paper>
            <Disclosure label="Configuration of the gateway">
              <PointHere gatewayID={gatewayID} networkServerID={networkServerID} />
            </Disclosure>
          </Paper>
        </>
      ) : (
        <>
          <Paper component="section" aria-labelledby="point-it-here">
            <Title order={2} size="h3" id="point-it-here" mb="xs">
              Point it here
            </Title>
            <PointHere gatewayID={gatewayID} networkServerID={networkServerID} />
          </Paper>
          <NextStep gatewayID={gatewayID} />
        </>
      )}
    </Stack>
  );
}

/** Once the gateway is online the next step gets the focus. */
function NextStep({ gatewayID, isOnline = false, isNews = false }: NextStepProps) {
  const { organizationID } = useIDs();
  const mayAdd = useMay()('firstSteps.addDevice');
  const section = useAppeared<HTMLDivElement>(isNews);
  return (
    <Group justify="flex-end" role="group" aria-label="Next step" tabIndex={-1} ref={section}>
      {isOnline && mayAdd && (
        <Text c="dimmed" mr="auto">
          The gateway is online. Add a device next.
        </Text>
      )}
      <LinkButton variant="default" to={paths.gateway.one(organizationID, gatewayID)}>
        Open the gateway
      </LinkButton>
      {mayAdd && <LinkButton to={paths.deviceAdd(organizationID)}>Add a device</LinkButton>}
    </Group>
  );
}

interface NextStepProps {
  gatewayID: string;
  isOnline?: boolean;
  isNews?: boolean;
}

/** The number of received frames; the stream begins with stored frames and may repeat them. */
function useReceivedFrames(gatewayID: string) {
  const [received, setReceived] = useState<ReadonlySet<string>>(new Set());
  const { state } = useLive<FrameLogItem>(`/api/gateways/${gatewayID}/frames`, ({ uplinkFrame }) => {
    const at = uplinkFrame && `${uplinkFrame.publishedAt} ${uplinkFrame.phyPayloadJSON}`;
    if (at) setReceived((known) => new Set(known).add(at));
  });
  return { frames: received.size, state };
}

function PointHere({ gatewayID, networkServerID }: { gatewayID: string; networkServerID: string }) {
  const { organizationID } = useIDs();
  const listeners = useQuery(query('connecting', 'get', { organizationID }));
  const networkServer = useQuery(query('networkServer', 'get', { id: networkServerID }));
  const [chosen, setChosen] = useState('SEMTECH_UDP');
  const region = networkServer.data?.region || 'its region';
  return (
    <Loaded query={listeners}>
      {({ result }) => {
        const listener = result.find(({ link }) => link === chosen) ?? result[0];
        if (!listener) return <Text c="dimmed">This server does not listen for gateways.</Text>;
        const host = listener.host || location.hostname;
        const { file, text, note } = linesFor[listener.link]({ ...listener, gatewayID, host, region });
        return (
          <Stack gap="sm">
            <SegmentedControl
              aria-label="How the gateway connects"
              value={listener.link}
              onChange={setChosen}
              data={result.map(({ link }) => ({ value: link, label: linkWords[link] }))}
            />
            <Facts
              facts={[
                ['Host', host],
                ['Port', `${listener.port}${listener.link === 'SEMTECH_UDP' ? ' (UDP, up and down)' : ''}`],
                ['Region', region],
                ['File', file],
              ]}
            />
            {listener.isLocal && (
              <Alert color="yellow" p="xs">
                This server listens on localhost only: gateways on other machines cannot reach it.
              </Alert>
            )}
            <Lines text={text} />
            <Text c="dimmed" size="sm">
              {note}{' '}
              {listener.needsProof && (
                <AppLink to={paths.gatewayCertificate(organizationID, gatewayID)}>Certificate</AppLink>
              )}
            </Text>
          </Stack>
        );
      }}
    </Loaded>
  );
}
