# SPDX-License-Identifier: Apache-2.0
#
# What every gdb reads under `burl replay --gdb`. SIG63 is the runtime's timer; the program's own
# signals go where they always go. The commands below are those of a gdb without Python; commands.py
# replaces them.
set pagination off
set confirm off
set startup-with-shell off
set disable-randomization on
set breakpoint pending on
handle SIG63 nostop noprint pass

define hook-run
  if $_isvoid($burl_breakpoints)
    set $burl_breakpoints = 1
    break burl_failure_stop
    break burl_step_stop
  end
end

define-prefix burl
document burl
Commands of burl: where, step [N]. This gdb has no Python; the others need it.
end

define burl where
  if $_isvoid($_exitcode)
    frame
    printf "burl: this gdb has no Python, so the frames of the runtime are shown\n"
  else
    printf "burl: the program exited\n"
  end
end
document burl where
Shows the current frame.
end

define burl step
  if $argc == 0
    set variable *(unsigned long *)&burl_step_wanted = 0
  else
    set variable *(unsigned long *)&burl_step_wanted = $arg0
  end
  continue
end
document burl step
Runs to the next step, or to step N of the report.
end

define burl threads
  printf "burl: burl threads needs a gdb with Python; `info threads` lists the threads of gdb\n"
end

define burl back
  printf "burl: burl back needs a gdb with Python; quit, and give the step: burl replay --gdb-at=STEP\n"
end

define burl list
  printf "burl: burl list needs a gdb with Python; `burl replay --trace` prints the steps\n"
end
