# Fails when a page does not quote what "conformance support" prints.
#   cmake -DPROGRAM=conformance -DPAGE=support.md -P support-table.cmake
execute_process(COMMAND ${PROGRAM} support --small OUTPUT_VARIABLE table
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^[^\n]*" heading "${table}")
if(NOT heading MATCHES " avx512 .* base .* avx512 bfloat16, dot ")
  message("skipped: this machine's table has other columns: ${heading}")
  return()
endif()
file(READ ${PAGE} page)
string(FIND "${page}" "\n${table}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${PAGE} does not quote this table:\n${table}")
endif()
