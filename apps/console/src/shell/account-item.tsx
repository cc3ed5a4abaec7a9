import { IconUserCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { MenuItem } from '../components/menu/menu.tsx';
import { paths } from '../paths.ts';

/** The menu item for the account of the user; older servers do not have its sessions. */
export function AccountItem() {
  const navigate = useNavigate();
  const { data: isOffered } = useQuery({
    queryKey: ['offered', 'session'],
    queryFn: () => api.session.list.isOffered(),
    staleTime: Infinity,
  });
  if (!isOffered) return null;
  return (
    <MenuItem icon={<IconUserCircle size={16} />} onChoose={() => void navigate({ to: paths.account() })}>
      Account
    </MenuItem>
  );
}
