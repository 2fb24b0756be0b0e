# The kernels' conformance program, once for each instruction set and mode; sets that the machine
# lacks are skipped.
file(GLOB LIBRA_CONFORMANCE_SOURCES CONFIGURE_DEPENDS test/conformance/*.cc)
add_executable(conformance ${LIBRA_CONFORMANCE_SOURCES})
target_link_libraries(conformance PRIVATE libra_core)
foreach(set base avx2 avx512)
  foreach(mode test grad)
    add_test(NAME conformance_${mode}_${set} COMMAND conformance ${mode} --isa ${set})
    set_tests_properties(conformance_${mode}_${set} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
endforeach()
