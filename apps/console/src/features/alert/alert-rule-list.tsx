import type { AlertRuleListItem } from '@hilltop/contract';
import { Alert, Button, Group } from '@mantine/core';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { Status } from '../../components/status/status.tsx';
import { toast } from '../../components/toast/toast.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { AlertHeader } from './alert-header.tsx';
import { watchedBy } from './alert-words.ts';
import { ruleFrom, suggestedRules } from './suggested-rules.ts';
import { useMail } from './use-mail.ts';

const channelWords = { EMAIL: 'e-mail', WEBHOOK: 'webhook' } as const;

const columns: Column<AlertRuleListItem, never>[] = [
  {
    header: 'Name',
    primary: true,
    share: 2,
    cell: ({ id, organizationID, name }) => <AppLink to={paths.alertRule(organizationID, id)}>{name}</AppLink>,
  },
  { header: 'Watches', share: 2, card: 'plain', cell: (rule) => <span>{watchedBy(rule)}</span> },
  {
    header: 'State',
    width: 120,
    card: 'aside',
    cell: ({ isEnabled, firingCount }) =>
      !isEnabled ? (
        <Status tone="never">disabled</Status>
      ) : firingCount > 0 ? (
        <Status tone="inactive">{`${firingCount} firing`}</Status>
      ) : (
        <Status tone="active">quiet</Status>
      ),
  },
  {
    header: 'Receivers',
    cell: ({ channelKinds }) => channelKinds.map((kind) => channelWords[kind]).join(', ') || 'none',
  },
  { header: 'Unsent messages', align: 'right', width: 150, card: 'folded', cell: ({ unsentCount }) => unsentCount },
];

/** The alert rules of an organization. An empty list suggests some. */
export function AlertRuleList() {
  const { organizationID } = useIDs();
  const mayCreate = useMay()('alertRule.create');
  const { mail } = useMail();
  const create = mayCreate && (
    <LinkButton to={paths.alertRuleCreate(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <AlertHeader actions={create} />
      {mail?.isSetUp === false && (
        <Alert color="yellow" mb="md">
          Mail is not set up on this server (HILLTOP_SMTP_URL). Webhooks work.
        </Alert>
      )}
      {mail?.isFailing && (
        <Alert color="yellow" mb="md">
          The mail server does not accept mail. Messages wait and are sent for 24 hours.
        </Alert>
      )}
      <ResourceList
        label="Alert rules"
        refreshMs={30_000}
        query={({ limit, offset }) => query('alertRule', 'list', { organizationID, limit, offset })}
        rowKey={({ id }) => id}
        columns={columns}
        empty={{
          icon: <IconBell size={32} />,
          title: 'No alert rules yet',
          text: mayCreate
            ? 'A rule notifies people when something goes wrong. Most organizations begin with these:'
            : 'A rule notifies people when something goes wrong. An administrator of the organization creates it.',
          action: mayCreate && <SuggestedRules />,
        }}
      />
    </>
  );
}

function SuggestedRules() {
  const { organizationID } = useIDs();
  const { ownAddress } = useMail();
  const [creating, setCreating] = useState('');
  async function create(suggested: (typeof suggestedRules)[number]) {
    setCreating(suggested.name);
    try {
      await perform(api.alertRule.create({ alertRule: ruleFrom(suggested, organizationID, ownAddress) }), {
        changed: ['alertRule'],
        done:
          ownAddress === undefined ? 'alert rule has been created' : `alert rule for ${ownAddress} has been created`,
      });
    } catch (error) {
      toast.error(explain(error));
      setCreating('');
    }
  }
  return (
    <Group justify="center">
      {suggestedRules.map((suggested) => (
        <Button
          key={suggested.name}
          variant="default"
          leftSection={<IconPlus size={16} />}
          loading={creating === suggested.name}
          disabled={creating !== '' && creating !== suggested.name}
          onClick={() => void create(suggested)}
        >
          {suggested.condition === 'GATEWAY_OFFLINE' ? 'Gateway offline for 10 minutes' : suggested.name}
        </Button>
      ))}
    </Group>
  );
}
