import { Modal } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useOffered } from '../../api/use-offered.ts';
import { MenuItem } from '../../components/menu/menu.tsx';
import { MoreActions } from '../../components/menu/more-actions.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { useMay } from '../../session/session.tsx';

const ReplaceForm = lazy(() => import('./replace-form.tsx').then((m) => ({ default: m.ReplaceForm })));

/** The menu of rare actions of a gateway. */
export function ReplaceGateway({ gatewayID, name }: { gatewayID: string; name: string }) {
  const may = useMay()('gatewayReplacement.create');
  const isOffered = useOffered('gatewayReplacement', 'create');
  const [isOpen, setOpen] = useState(false);
  if (!may || !isOffered) return null;
  return (
    <>
      <MoreActions>
        <MenuItem icon={<IconReplace size={16} />} onChoose={() => setOpen(true)}>
          Replace gateway
        </MenuItem>
      </MoreActions>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Replace ${name}`} size="lg">
        <Suspense fallback={<FormSkeleton />}>
          <ReplaceForm gatewayID={gatewayID} onClose={() => setOpen(false)} />
        </Suspense>
      </Modal>
    </>
  );
}
