import type { AttentionItem } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { LastSeen } from '../last-seen/last-seen.tsx';
import { AppLink } from '../link/link.tsx';
import { Status } from '../status/status.tsx';
import { severities, valueText } from './attention-words.ts';

const refetchInterval = 30_000;
const mostAlerts = 20;

/** What is wrong with a device or gateway, and which alerts fire because of it. */
export function RecordAttention({ organizationID, subjectID }: { organizationID: string; subjectID: string }) {
  const attention = useQuery({
    ...query('attention', 'list', { organizationID, subjectID, limit: 1 }),
    refetchInterval,
  });
  const alerts = useQuery({
    ...query('alert', 'list', { organizationID, subjectID, limit: mostAlerts, offset: 0 }),
    refetchInterval,
  });
  if (!attention.data || !alerts.data) return attention.isError || alerts.isError ? 'not known' : '–';
  const open = attention.data.result.filter((one) => one.subjectID === subjectID);
  const firing = alerts.data.result.filter(({ state }) => state === 'FIRING' || state === 'ACKNOWLEDGED');
  if (open.length + firing.length === 0) return 'nothing';
  return (
    <>
      {open.map((item) => (
        <div key={item.id}>
          <AppLink to={paths.attention(organizationID)}>
            <Status tone={severities[conditionOf(item.condition).severity].tone}>{textOf(item)}</Status>
          </AppLink>
          {', began '}
          <LastSeen at={item.since} />
        </div>
      ))}
      {firing.map(({ id, ruleID, ruleName, state, since }) => (
        <div key={id}>
          <AppLink to={paths.alertRule(organizationID, ruleID)}>
            <Status tone={state === 'FIRING' ? 'inactive' : 'attention'}>{`Alert ${ruleName}`}</Status>
          </AppLink>
          {state === 'FIRING' ? ' firing, began ' : ' acknowledged, began '}
          <LastSeen at={since} />
        </div>
      ))}
    </>
  );
}

function textOf(item: AttentionItem): string {
  const { label, value } = conditionOf(item.condition);
  return value && value.kind !== 'time' && value.kind !== 'duration' ? `${label}: ${valueText(item)}` : label;
}
