import { Checkbox, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import type { CopyChoiceProps } from '../../components/resource/create-page.tsx';
import { useMay } from '../../session/session.tsx';

/** Whether a copy of an application gets its integrations, and what of them. Nothing is shown when it has none. */
export function CopyIntegrations({ from, isChosen, onChange }: CopyChoiceProps) {
  const isReadable = useMay()('application.listIntegrations');
  const { data, isPending } = useQuery({
    ...query('application', 'listIntegrations', { applicationID: from }),
    enabled: isReadable,
  });
  if (!isReadable) return null;
  if (isPending) return <Skeleton h={44} mb="sm" />;
  const count = Number(data?.totalCount ?? 0);
  if (count === 0) return null;
  return (
    <Checkbox
      mb="sm"
      label={count === 1 ? 'Copy its integration' : `Copy its ${count} integrations`}
      description="Addresses, header names and options are copied. Passwords, tokens, keys and the values of secret headers are not. The copies are suspended until you enter these and save, or resume them."
      checked={isChosen}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
    />
  );
}
