import { Button, Modal, Stack, Text } from '@mantine/core';
import { IconHelp } from '@tabler/icons-react';
import { useState } from 'react';

/** The Help button of gateway-profiles, with its dialog. */
export function GatewayProfileHelp() {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconHelp size={16} />} onClick={() => setOpened(true)}>
        Help
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="What is a gateway-profile for?">
        <Stack gap="sm">
          <Text>
            It is the channel plan of gateways that run the concentrator daemon. When the plan of such a gateway differs
            from its profile, the network-server sends it the new configuration.
          </Text>
          <Text>A gateway does not need one: without a profile, it keeps the channels it was set up with.</Text>
          <Text>
            A gateway with a profile listens to the channels of the profile and to no others: give the extra channels of
            the network-server here as well.
          </Text>
          <Text>
            It does not change how devices behave. The channels devices use are decided by the region and by the
            network-server.
          </Text>
        </Stack>
      </Modal>
    </>
  );
}
