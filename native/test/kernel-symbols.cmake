# Fails when a kernel's object file of one instruction set defines a shared (weak) function outside
# its own namespace: the linker keeps one copy of those, and the program would crash on a machine
# that lacks the set it came from.
#   cmake -DNM=… -DSET=avx512 "-DOBJECTS=a.o;b.o" -P kernel-symbols.cmake
# Left out: a one-line getter of Workers that the compiler copies beside its virtual calls.
set(found "")
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol ${symbols})
    if(symbol MATCHES " [WVu] (.*)$" AND NOT CMAKE_MATCH_1 MATCHES
       "^DW\\.ref|libra::cpu::${SET}::|^libra::ThreadWorkers::threads")
      string(APPEND found "${object}: ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
endforeach()
if(found)
  message(FATAL_ERROR "Shared functions compiled for ${SET}:\n${found}")
endif()
