# The kernels' conformance program, once for each instruction set and mode; sets that the machine
# lacks are skipped.
file(GLOB LIBRA_CONFORMANCE_SOURCES CONFIGURE_DEPENDS test/conformance/*.cc)
add_executable(conformance ${LIBRA_CONFORMANCE_SOURCES})
target_link_libraries(conformance PRIVATE libra_core)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(LIBRA_SETS arm64)
else()
  set(LIBRA_SETS base avx2 avx512)
endif()
foreach(set ${LIBRA_SETS})
  foreach(mode test grad)
    add_test(NAME conformance_${mode}_${set} COMMAND conformance ${mode} --isa ${set})
    set_tests_properties(conformance_${mode}_${set} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
endforeach()
add_test(NAME conformance_test_convert COMMAND conformance test --isa avx512 --operator float16)
set_tests_properties(conformance_test_convert PROPERTIES
                     TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT LIBRA_BF16=convert)

# The table of docs/support.md, on a machine that has all of its instruction sets.
set(LIBRA_SUPPORT ${CMAKE_CURRENT_SOURCE_DIR}/../docs/support.md)
if(EXISTS ${LIBRA_SUPPORT})
  add_test(NAME support_table
           COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:conformance> -DPAGE=${LIBRA_SUPPORT} -P
                   ${CMAKE_CURRENT_SOURCE_DIR}/test/support-table.cmake)
  set_tests_properties(support_table PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "^skipped")
endif()

# Without optimisation nothing is inlined, so only optimised builds are looked at.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_NM AND TARGET libra_cpu_avx512)
  foreach(set avx2 avx512 avx512bf16)
    add_test(NAME kernel_symbols_${set}
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DSET=${set}
                     "-DOBJECTS=$<TARGET_OBJECTS:libra_cpu_${set}>" -P
                     ${CMAKE_CURRENT_SOURCE_DIR}/test/kernel-symbols.cmake)
  endforeach()
endif()
