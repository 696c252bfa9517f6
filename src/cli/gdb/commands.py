# SPDX-License-Identifier: Apache-2.0
#
# The commands of burl in gdb: burl where, threads, list, step, back. Runs in gdb, beside the tested
# program, which is on OS threads and follows its schedule. burl writes the constants before this:
#
#   CTL_FD    the control block of the program, as it is before the program starts
#   STOP_AT   where the step to stop before is in it
#   TRACE_FD  what `burl replay --trace` prints for this execution; -1: not known
#   OPS       names of operations, by enum burl_wire_op
#   INPUT     file for the program's standard input; empty: that of gdb
#
# State is read from the runtime (burl_rt, with its debug information) and never by calling a function
# in the program. Names are those of the report: the trace has them by step, and the ring of events in
# the control block has the address for each step.
import os
import re
import shlex
import struct

import gdb

ANCHOR, FAILURE = 'burl_step_stop', 'burl_failure_stop'
NO_TID = 0xffff
EVENT = struct.Struct('<QQQQIIIHBBB7x')
FINISHED, BLOCKED = 3, 2
LOCK_CLASSES = (1, 3, 4)  # enum burl_obj_class: mutex, rwlock, spin
RWLOCK = 3
# A pending operation with this name is the second half of the other.
HALVES = {'woken': 'wait', 'barrier leave': 'barrier', 'barrier arrive': 'barrier', 'futex woken': 'futex wait'}


class Trace:
    """The rows of the trace: by step the thread, the words and the place."""

    ROW = re.compile(r'^ *(\d+)  T(\d+) *(.*)$')

    def __init__(self, text):
        self.rows = {}
        for line in text.split('\n'):
            m = self.ROW.match(line)
            if m and not re.match(r'(enter |leave$)', m.group(3)):
                self.rows.setdefault(int(m.group(1)), (int(m.group(2)), m.group(3).rstrip()))
        self.last = max(self.rows) if self.rows else None

    def words(self, step, tid):
        """What the report says about this step of this thread; None: not known."""
        row = self.rows.get(step)
        return row[1] if row and row[0] == tid else None


def read_fd(fd):
    parts = []
    while True:
        part = os.pread(fd, 1 << 20, sum(map(len, parts)))
        if not part:
            return b''.join(parts)
        parts.append(part)


class Block:
    """The control block as it was before the program started, to start it again."""

    def __init__(self, fd):
        self.fd, self.size_b, self.parts = fd, os.fstat(fd).st_size, []
        at = 0
        while at < self.size_b:
            try:
                at = os.lseek(fd, at, os.SEEK_DATA)
            except OSError:  # no data up to the end
                break
            end = os.lseek(fd, at, os.SEEK_HOLE)
            self.parts.append((at, os.pread(fd, end - at, at)))
            at = end

    def restore(self, stop_at):
        os.ftruncate(self.fd, 0)
        os.ftruncate(self.fd, self.size_b)
        for at, data in self.parts:
            os.pwrite(self.fd, data, at)
        if stop_at is not None:
            os.pwrite(self.fd, struct.pack('<Q', stop_at), STOP_AT)


block = Block(CTL_FD)
trace = Trace(read_fd(TRACE_FD).decode('utf-8', 'replace') if TRACE_FD >= 0 else '')
failed = False  # the failure was seen in this session


# ---- frames ----------------------------------------------------------------------------------

def in_runtime(frame):
    lib = gdb.solib_name(frame.pc()) or ''
    return lib.rsplit('/', 1)[-1] == 'libburl_rt.so'


class BurlFrames:
    def __init__(self):
        self.name, self.priority, self.enabled = 'burl', 100, True

    def filter(self, frames):
        return (f for f in frames if not in_runtime(f.inferior_frame()))


def is_users(frame):
    """Is this code of the program, and not inline code of a library or one of its functions?"""
    symtab = frame.find_sal().symtab
    return symtab is not None and not in_runtime(frame) and not re.match(SYSTEM, symtab.fullname())


SYSTEM = r'/usr/(include|lib|lib64|share)/|.*/sysdeps/|.*/nptl/|.*/csu/'


def first_frame(matches):
    frame = gdb.newest_frame()
    while frame is not None and not matches(frame):
        frame = frame.older()
    return frame


def program_frame():
    return first_frame(is_users) or first_frame(lambda f: not in_runtime(f))


def select_program_frame():
    frame = program_frame()
    if frame is not None:
        frame.select()


def describe_frame(frame):
    if frame is None:
        return 'in the runtime'
    sal = frame.find_sal()
    place = '%s:%d' % (sal.symtab.filename, sal.line) if sal.symtab else '?'
    return 'in %s at %s' % (frame.name() or '?', place)


# ---- state of the runtime --------------------------------------------------------------------

def evaluate(expression):
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error:
        raise gdb.GdbError('burl: cannot read %s: libburl_rt.so has no debug information'
                           % expression)


def is_running():
    thread = gdb.selected_thread()
    return thread is not None and thread.is_valid()


def need_program():
    if not is_running():
        raise gdb.GdbError('burl: the program is not running; `burl back N` starts it again and '
                           'stops before step N')


def at_anchor():
    return gdb.newest_frame().name() == ANCHOR


def current_step():
    """The step that is about to happen at the anchor, and the last one that did elsewhere."""
    done = int(evaluate('burl_rt.exec.steps'))
    return done if at_anchor() else done - 1


def current_tid():
    thread = evaluate('burl_rt.current')
    return int(thread['tid']) if int(thread) else None


def events():
    """The newest events of the execution, newest first: (address, step, kind)."""
    n, room = int(evaluate('burl_rt.exec.n_events')), int(evaluate('burl_rt.ctl->trace_n'))
    ring = int(evaluate('(unsigned long)burl_rt.ctl + burl_rt.ctl->trace_off'))
    first = max(0, n - room)
    if first == 0:
        data = gdb.selected_inferior().read_memory(ring, n * EVENT.size) if n else b''
        for at in range(n - 1, -1, -1):
            addr, _, _, _, step, _, _, tid, kind, _, _ = EVENT.unpack_from(data, at * EVENT.size)
            yield addr, step, tid, kind
        return
    for count in range(n - 1, first - 1, -1):
        data = gdb.selected_inferior().read_memory(ring + count % room * EVENT.size, EVENT.size)
        addr, _, _, _, step, _, _, tid, kind, _, _ = EVENT.unpack_from(data, 0)
        yield addr, step, tid, kind


class Names:
    """Names of objects: as the report has them, or as gdb does, or the address."""

    def __init__(self):
        self.known = {}
        for addr, step, tid, kind in events():
            words = trace.words(step, tid) or ''
            verb = OPS[kind] + ' ' if kind < len(OPS) else '?'
            if addr and addr not in self.known and words.startswith(verb):
                self.known[addr] = re.split(r'  |, |: | = ', words[len(verb):])[0]

    def of(self, addr):
        if addr in self.known:
            return self.known[addr]
        symbol = gdb.execute('info symbol %d' % addr, to_string=True)
        if symbol.startswith('No symbol'):
            return '0x%x' % addr
        return symbol.split(' in section')[0].strip()


def locks_by_tid():
    """Addresses of the locks that threads hold."""
    held = {}
    n = 1 << int(evaluate("'sched/objects.c'::bits"))
    buckets = int(evaluate("(unsigned long)&'sched/objects.c'::buckets"))
    heads = struct.unpack('<%dQ' % n, gdb.selected_inferior().read_memory(buckets, 8 * n))
    obj_type = gdb.lookup_type('struct burl_obj').pointer()
    for head in heads:
        obj = gdb.Value(head).cast(obj_type)
        while int(obj):
            if int(obj['cls']) in LOCK_CLASSES:
                for tid in holders(obj):
                    held.setdefault(tid, []).append(int(obj['addr']))
            obj = obj['hash_next']
    return held


def holders(obj):
    if int(obj['owner']) != NO_TID:
        return [int(obj['owner'])]
    tids = []
    if int(obj['cls']) == RWLOCK:
        reader = gdb.Value(int(obj['extra'])).cast(
            evaluate("&'interpose/rwlock.c'::free_readers").dynamic_type.target())
        while int(reader):
            tids.append(int(reader['tid']))
            reader = reader['next']
    return tids


def describe_pending(thread, names):
    op, obj = thread['op'], thread['wait_obj']
    kind = OPS[int(op['kind'])] if int(op['kind']) < len(OPS) else '?'
    if kind == 'join':
        what = 'join T%d' % int(op['aux'])
    elif kind == 'woken':
        what = 'lock %s, after its wait' % names.of(int(op['addr']))
    else:
        what = HALVES.get(kind, kind)
        if int(op['addr']) and kind not in ('yield', 'sleep', 'I/O wait'):
            what += ' ' + names.of(int(op['addr']))
    if int(thread['state']) != BLOCKED:
        return 'can run: ' + what
    owners = holders(obj) if int(obj) and int(obj['cls']) in LOCK_CLASSES else []
    by = ', held by ' + ', '.join('T%d' % t for t in owners) if owners else ''
    return 'blocked: ' + what + by


def describe_current(tid):
    if not at_anchor():
        return 'runs'
    words = trace.words(current_step(), tid)
    return 'next: ' + re.split(r'  +', words)[0] if words else 'runs'


def describe(thread, gdb_threads, held, names):
    tid = int(thread['tid'])
    current = tid == current_tid()
    head = '%s T%-4d' % ('*' if current else ' ', tid)
    if int(thread['state']) == FINISHED:
        return head + 'exited'
    carrier = gdb_threads.get(int(thread['os_tid']))
    if carrier is None or (not current and OPS[int(thread['op']['kind'])] == 'start'):
        return head + 'has not started'
    runs = current and int(thread['state']) != BLOCKED
    what = describe_current(tid) if runs else describe_pending(thread, names)
    locks = held.get(tid)
    carrier.switch()
    return '%sgdb thread %-3d %s; %s%s' % (
        head, carrier.num, describe_frame(program_frame()), what,
        '; holds ' + ', '.join(sorted(names.of(a) for a in locks)) if locks else '')


# ---- where ------------------------------------------------------------------------------------

def print_step():
    step, tid = current_step(), current_tid()
    words = trace.words(step, tid)
    text = re.sub(r'  +', '  ', words) if words else 'not in the report: the execution diverged'
    if trace.last is None:
        text = 'the trace of the execution is not known'
    elif step < 0:
        text = 'no step has happened yet'
    print('burl: %s step %s, T%s: %s' % ('before' if at_anchor() else 'after', '{:,}'.format(step),
                                         tid, text))


def failure_kind():
    frame = gdb.newest_frame()
    if frame.name() == FAILURE:
        return gdb.parse_and_eval('(const char *)$rdi').string()
    return 'crash.signal'


def has_failed():
    return gdb.newest_frame().name() == FAILURE or stop_signal in FATAL


FATAL = ('SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGSYS')
stop_signal = None  # of the last stop
fatal_after = None  # steps that had happened at the last fatal signal


def on_stop(event):
    global stop_signal, fatal_after
    stop_signal = event.stop_signal if isinstance(event, gdb.SignalEvent) else None
    if stop_signal in FATAL:
        fatal_after = int(evaluate('burl_rt.exec.steps'))


class Failure(gdb.Breakpoint):
    """Where the runtime ends a failed execution; not once more where gdb stopped at the signal."""

    def stop(self):
        return int(evaluate('burl_rt.exec.steps')) != fatal_after


def where():
    global failed
    if not is_running():
        print('burl: the program exited' + ('' if failed else '; the failure was not reproduced'))
        return
    if has_failed():
        failed = True
        print_step()
        print('burl: the failure (%s) is here, in T%s; the threads:' % (failure_kind(), current_tid()))
        list_threads()
    else:
        print_step()
    select_program_frame()
    gdb.execute('frame')


def list_threads():
    here = gdb.selected_thread()
    names, held = Names(), locks_by_tid()
    gdb_threads = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
    for i in range(int(evaluate('burl_rt.exec.n_threads'))):
        print(describe(evaluate('*burl_rt.threads[%d]' % i), gdb_threads, held, names))
        here.switch()
    select_program_frame()


# ---- moving ------------------------------------------------------------------------------------

def parse_step(arg, command, sign):
    """The step that a command goes to; None: it has no argument."""
    word = arg.strip()
    if not word:
        return None
    m = re.match(r'^([+-]?)([0-9][0-9,]*)$', word)
    if not m or (m.group(1) and m.group(1) != sign):
        raise gdb.GdbError('burl %s: "%s" is not a step; give a number of the report, or %sN for N steps from here'
                           % (command, word, sign))
    n = int(m.group(2).replace(',', ''))
    if m.group(1):
        need_program()
        n = max(0, current_step() + (n if sign == '+' else -n + (not at_anchor())))
    # A fault happens before its step is counted; the report gives it the next number.
    if trace.last is not None and n > trace.last + 1:
        raise gdb.GdbError('burl %s: there is no step %s; the last one is %s'
                           % (command, '{:,}'.format(n), '{:,}'.format(trace.last)))
    return n


def resume(command):
    said = gdb.execute(command, to_string=True)
    if not is_running() or not at_anchor():
        print(said, end='')
    where()


def go_to(step):
    """Onwards: sets what the runtime compares its count of steps with."""
    gdb.execute('set variable *(unsigned long *)&burl_step_wanted = %d' % step)
    resume('continue')


def start_again(step):
    global next_stop_at
    if is_running():
        gdb.execute('kill', to_string=True)
    next_stop_at = step + 1
    resume('run')


next_stop_at = None  # None: as burl replay was called


def before_run():
    """A new process finds the block as the first one did, but for the step."""
    global fatal_after, next_stop_at
    block.restore(next_stop_at)
    fatal_after = next_stop_at = None


def on_objfile(event):
    """Internal breakpoints: `delete` leaves them alone."""
    global breakpoints
    if not breakpoints and event.new_objfile.filename.endswith('/libburl_rt.so'):
        breakpoints = [gdb.Breakpoint(ANCHOR, internal=True), Failure(FAILURE, internal=True)]
        breakpoints[0].silent = True


breakpoints = []


class Burl(gdb.Command):
    """Commands of burl. The steps are those of the report and of `burl replay --trace`.

burl where     the current step and place
burl threads   threads as the report numbers them: where each is, what it waits for, locks it holds
burl list [N]  the steps around the current one, or around step N
burl step [N]  run to the next step, to step N, or with +N by N steps
burl back [N]  replay to the last step that happened, to step N, or with -N by N steps back

`continue` runs to the failure."""

    def __init__(self):
        super().__init__('burl', gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class Where(gdb.Command):
    """burl where: the current step, as the report numbers it, and the place in the program.

Before a step the operation has not happened yet."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_STACK)

    def invoke(self, arg, from_tty):
        no_argument(arg, 'where')
        where()


class Threads(gdb.Command):
    """burl threads: the threads of the program, numbered as in the report.

For each the thread of gdb, the place, what it does next or waits for, and the locks it holds. The
one with a star runs."""

    def __init__(self):
        super().__init__('burl threads', gdb.COMMAND_STACK)

    def invoke(self, arg, from_tty):
        no_argument(arg, 'threads')
        need_program()
        list_threads()


class List(gdb.Command):
    """burl list [N]: the steps around the current one, or around step N, with an arrow at it."""

    AROUND = 5

    def __init__(self):
        super().__init__('burl list', gdb.COMMAND_STACK)

    def invoke(self, arg, from_tty):
        if trace.last is None:
            raise gdb.GdbError('burl list: the trace of the execution is not known')
        here = current_step() if is_running() else None
        middle = parse_step(arg, 'list', '+')
        if middle is None:
            need_program()
            middle = here
        around = range(max(0, middle - self.AROUND), min(trace.last, middle + self.AROUND) + 1)
        rows = [(step, *trace.rows[step]) for step in around if step in trace.rows]
        # The trace indents operations by calls: the columns behind them must begin anew.
        cells = [re.split(r'  +', words) for _, _, words in rows]
        widths = [max((len(c[i]) for c in cells if len(c) > i), default=0) for i in range(2)]
        for (step, tid, _), (words, *place) in zip(rows, cells):
            where = place[0] if place else ''
            print(('%s %6d  T%-4d%-*s  %-*s  %s' % ('=>' if step == here else '  ', step, tid, widths[0], words,
                                                    widths[1], where, '  '.join(place[1:]))).rstrip())


class Step(gdb.Command):
    """burl step [N]: run to the next step of any thread, to step N, or with +N by N steps.

Stops before the operation of the step."""

    def __init__(self):
        super().__init__('burl step', gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        step = parse_step(arg, 'step', '+')
        need_program()
        if has_failed():
            raise gdb.GdbError('burl step: the failure is here, and no step follows; `burl back` goes back')
        here = current_step()
        if step is None:
            step = here + 1
        if step < here or (step == here and not at_anchor()):
            raise gdb.GdbError('burl step: step %s has happened, and this is step %s; `burl back %d` '
                               'replays to it' % ('{:,}'.format(step), '{:,}'.format(here), step))
        if step == here:
            where()
        else:
            go_to(step)


class Back(gdb.Command):
    """burl back [N]: replay to the last step that happened, to step N, or with -N by N steps back.

The program is started again and follows the same schedule to that step."""

    def __init__(self):
        super().__init__('burl back', gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        step = parse_step(arg, 'back', '-')
        if step is None:
            need_program()
            step = max(0, current_step() - at_anchor())
        elif is_running() and step > current_step():
            raise gdb.GdbError('burl back: step %s has not happened yet; `burl step %d` runs to it'
                               % ('{:,}'.format(step), step))
        start_again(step)


def no_argument(arg, command):
    if arg.strip():
        raise gdb.GdbError('burl %s takes no argument, and "%s" was given' % (command, arg.strip()))


def take_over():
    """Replaces what commands.gdb has for a gdb without Python."""
    gdb.execute('define hook-run\npython before_run()\nend')
    gdb.events.new_objfile.connect(on_objfile)
    if INPUT:  # only a shell redirects
        gdb.execute('set startup-with-shell on')
        gdb.execute('set args %s < %s' % (gdb.parameter('args'), shlex.quote(INPUT)))
    gdb.frame_filters['burl'] = BurlFrames()
    gdb.events.stop.connect(on_stop)
    Burl()
    Where('burl where')
    Where('burl info')
    Threads()
    List()
    Step()
    Back()
    gdb.execute('alias burl-threads = burl threads')


take_over()
