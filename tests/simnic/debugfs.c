// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/simnic/simX/: a file for each setting. */
#include <linux/uaccess.h>

#include "knob.h"

#define LINE_MAX 64

static struct dentry *root;

static int knob_show(struct seq_file *m, void *v)
{
	const struct simnic_file *file = m->private;

	if (simnic_is_number(file->knob))
		seq_printf(m, "%u\n", READ_ONCE(*simnic_number(file)));
	else
		file->knob->show(file->sn, m);
	return 0;
}

/* Modes do not keep root from reading what can only be written, or the other way round. */
static int knob_open(struct inode *inode, struct file *file)
{
	const struct simnic_file *f = inode->i_private;

	if (!simnic_is_number(f->knob) && (((file->f_mode & FMODE_READ) && !f->knob->show) ||
					   ((file->f_mode & FMODE_WRITE) && !f->knob->store)))
		return -EACCES;
	return single_open(file, knob_show, inode->i_private);
}

static ssize_t knob_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	const struct simnic_file *f = ((struct seq_file *)file->private_data)->private;
	char line[LINE_MAX];
	int err;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = '\0';
	err = simnic_is_number(f->knob) ? simnic_store_number(f, strim(line)) :
					  f->knob->store(f->sn, strim(line));
	return err ? err : len;
}

static const struct file_operations knob_fops = {
	.owner = THIS_MODULE,
	.open = knob_open,
	.read = seq_read,
	.write = knob_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void simnic_debugfs_add(struct simnic *sn)
{
	u32 i;

	sn->dir = debugfs_create_dir(sn->name, root);
	for (i = 0; i < SIMNIC_NR_FILES; i++) {
		const struct simnic_knob *knob = &simnic_knobs[i];
		umode_t mode = (knob->show || simnic_is_number(knob) ? 0444 : 0) |
			       (knob->store || simnic_is_number(knob) ? 0200 : 0);

		sn->files[i].sn = sn;
		sn->files[i].knob = knob;
		debugfs_create_file(knob->name, mode, sn->dir, &sn->files[i], &knob_fops);
	}
}

void simnic_debugfs_root_init(void)
{
	root = debugfs_create_dir("simnic", NULL);
}

void simnic_debugfs_root_exit(void)
{
	debugfs_remove_recursive(root);
}
