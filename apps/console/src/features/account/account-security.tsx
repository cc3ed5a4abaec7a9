import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { LinkButton } from '../../components/link/link.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';

/** Password and second factor of the signed-in user. */
export function AccountSecurity() {
  const { user, settings } = useSession();
  return (
    <Loaded query={useQuery(query('secondFactor', 'get', {}))}>
      {(state) => (
        <Stack gap="md">
          {!settings.openidConnect.enabled && (
            <Paper component="section" aria-label="Password">
              <Title order={2} mb={4}>
                Password
              </Title>
              <Text mb="md">A new password ends all your other sessions.</Text>
              <LinkButton variant="default" to={paths.userPassword(user.id)}>
                Change password
              </LinkButton>
            </Paper>
          )}
          <SecondFactorCard state={state} />
        </Stack>
      )}
    </Loaded>
  );
}
