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
            from its profile, the network-server sends it a new configuration.
          </Text>
          <Text>It is optional: without a profile, a gateway uses its own channel configuration.</Text>
          <Text>
            A gateway with a profile receives only the channels of the profile: add the extra channels of the
            network-server here as well.
          </Text>
          <Text>
            It does not affect devices. The region and the network-server define the channels that devices use.
          </Text>
        </Stack>
      </Modal>
    </>
  );
}
