// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { READ_BYTES = 64 << 10 };

bool output_open(struct output *o, size_t head_room, size_t tail_room, int *ret_child,
		 struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*o = (struct output){
		.fd = ends[0],
		.head_room = head_room,
		.tail_room = tail_room,
		.bytes = memory_alloc(head_room + 2 * tail_room),
	};
	*ret_child = ends[1];
	return true;
}

void output_done(struct output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->bytes);
	*o = (struct output)OUTPUT_NONE;
}

/* Where both tails are full the first one makes room. */
static void make_room(struct output *o)
{
	size_t room = o->head_room + 2 * o->tail_room;

	if (o->length < room)
		return;
	memmove(o->bytes + o->head_room, o->bytes + room - o->tail_room, o->tail_room);
	o->length -= o->tail_room;
	o->left_out += o->tail_room;
}

void output_read(struct output *o, int times)
{
	for (int i = 0; i < times && o->fd >= 0; i++) {
		size_t room;
		ssize_t n;

		make_room(o);
		room = o->head_room + 2 * o->tail_room - o->length;
		n = read(o->fd, o->bytes + o->length, room < READ_BYTES ? room : READ_BYTES);
		if (n > 0) {
			o->length += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (!n) {
			close(o->fd);
			o->fd = -1;
		}
		return;
	}
}

static void append_text(struct text *out, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text_append(out, bytes[i] ? bytes + i : "\xff", 1);
}

json_t *output_text(const struct output *o)
{
	struct text out __text = {0};

	if (!o->left_out) {
		append_text(&out, o->bytes, o->length);
		return json_text(text_string(&out));
	}
	append_text(&out, o->bytes, o->head_room);
	text_printf(&out, "\n... %llu bytes are left out here ...\n",
		    (unsigned long long)o->left_out);
	append_text(&out, o->bytes + o->head_room, o->length - o->head_room);
	return json_text(text_string(&out));
}

char *output_last_lines(const struct output *o, int lines, size_t bytes)
{
	size_t end = o->length, begin;
	struct text out = {0};

	while (end && isspace((unsigned char)o->bytes[end - 1]))
		end--;
	for (begin = end; begin && end - begin < bytes; begin--) {
		if (o->bytes[begin - 1] == '\n' && !--lines)
			break;
	}
	for (; begin < end; begin++) {
		unsigned char c = (unsigned char)o->bytes[begin];

		if (c == '\n')
			text_puts(&out, " | ");
		else
			text_append(&out, isprint(c) ? o->bytes + begin : "?", 1);
	}
	return text_take(&out);
}
