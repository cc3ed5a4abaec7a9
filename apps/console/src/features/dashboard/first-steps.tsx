import type { FirstSteps as Made } from '@hilltop/contract';
import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useAppeared } from '../../components/appeared/use-appeared.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { Step, Steps } from '../../components/steps/steps.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

interface Props {
  made: Made;
  onDismiss: () => void;
}

/**
 * The steps from an empty installation to a first decoded value, each ticked when it is done. Creates nothing on its
 * own.
 */
export function FirstSteps({ made, onDismiss }: Props) {
  const isThrough = made.hasProfiles && hasGateways(made) && made.hasApplication && made.hasDevice && made.hasValue;
  return (
    <Paper component="section" aria-labelledby="first-steps" mb="md">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={2} size="h3" id="first-steps">
          {isThrough ? 'All set' : 'First steps'}
        </Title>
        <Button variant="subtle" color="gray" size="xs" onClick={onDismiss}>
          Dismiss
        </Button>
      </Group>
      <List made={made} />
      <Instead made={made} />
    </Paper>
  );
}

/** An organization that cannot have gateways skips that step. */
const hasGateways = ({ hasGateway, canHaveGateways }: Made) => hasGateway || !canHaveGateways;

function List({ made }: { made: Made }) {
  const may = useMay();
  const { organizationID: id, hasProfiles, canHaveGateways, hasGateway, hasApplication, hasDevice, hasValue } = made;
  // The first open step has the primary button.
  const next = !hasProfiles ? 'profiles' : !hasGateways(made) ? 'gateway' : !hasDevice ? 'device' : '';
  // The button that created the profiles is gone: the next one gets its focus.
  const [hadProfiles] = useState(hasProfiles);
  const appeared = useAppeared<HTMLAnchorElement>(hasProfiles && !hadProfiles);
  const focused = (of: string) => (of === next ? { ref: appeared } : {});
  const variant = (of: string) => (of === next ? 'filled' : 'default');
  const mayConnect = hasProfiles && may('gateway.create', id);
  const mayAdd = hasProfiles && may('device.create', id);
  return (
    <Steps label="First steps">
      <Step title="Profiles" isDone={hasProfiles} action={!hasProfiles && <MakeProfiles made={made} />}>
        {hasProfiles
          ? 'Profiles define what the organization can use and which types of devices exist.'
          : 'The standard set: a service-profile, and device-profiles for OTAA, class C and ABP.'}
      </Step>
      {canHaveGateways && (
        <Step
          title="Gateway"
          isDone={hasGateway}
          action={
            !hasGateway &&
            mayConnect && (
              <LinkButton size="xs" variant={variant('gateway')} {...focused('gateway')} to={paths.gatewayConnect(id)}>
                Connect a gateway
              </LinkButton>
            )
          }
        >
          A gateway receives devices and forwards their frames. Its page shows how to configure it.
        </Step>
      )}
      <Step title="Application" isDone={hasApplication}>
        An application groups devices whose data belongs together. You can create it together with the first device.
      </Step>
      <Step
        title="Device"
        isDone={hasDevice}
        action={
          mayAdd &&
          !hasValue && (
            <LinkButton size="xs" variant={variant('device')} {...focused('device')} to={paths.deviceAdd(id)}>
              Add a device
            </LinkButton>
          )
        }
      >
        You find the EUI and the key on the label of the device or in its documents.
      </Step>
      <Step title="First value" isDone={hasValue}>
        Done when the codec of the device-profile has decoded an uplink.
      </Step>
    </Steps>
  );
}

/** Migration from version 3, offered only while the installation has no profiles: otherwise the import refuses. */
function Instead({ made: { hasProfiles, hasApplication, hasDevice, hasGateway } }: { made: Made }) {
  const may = useMay();
  if (hasProfiles || hasApplication || hasDevice || hasGateway || !may('importV3.dryRun')) return null;
  return (
    <Text c="dimmed" size="sm" mt="sm">
      Coming from ChirpStack version 3? <AppLink to={paths.movingIn()}>Move in</AppLink> with devices, sessions and
      users.
    </Text>
  );
}

/**
 * Creates the usual profiles with one click, for users with permission; only for embedded network-servers, whose
 * regions are known.
 */
function MakeProfiles({ made: { organizationID, canMakeProfiles } }: { made: Made }) {
  const may = useMay();
  const [failure, setFailure] = useState<unknown>(null);
  const [isMaking, setMaking] = useState(false);
  if (!may('firstSteps.makeProfiles')) return <Text c="dimmed">A global administrator creates them.</Text>;
  if (!canMakeProfiles)
    return (
      <LinkButton size="xs" to={paths.networkServer.create()}>
        Add a network-server
      </LinkButton>
    );
  const make = async () => {
    setMaking(true);
    setFailure(null);
    const asked = organizationID === '0' ? {} : { organizationID };
    await perform(api.firstSteps.makeProfiles(asked), {
      changed: ['firstSteps', 'organization', 'networkServer', 'serviceProfile', 'deviceProfile'],
      done: 'profiles have been created',
    }).catch(setFailure);
    setMaking(false);
  };
  return (
    <>
      <Button size="xs" loading={isMaking} onClick={() => void make()}>
        Create the standard set
      </Button>
      <InlineError error={failure} />
    </>
  );
}
