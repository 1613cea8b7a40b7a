# Answers every request with its runtime and its greeting; needs nothing beyond Ruby itself.
require 'socket'

$stdout.sync = true
server = TCPServer.new('0.0.0.0', Integer(ENV.fetch('PORT')))
puts 'the sample listens'
loop do
  Thread.new(server.accept) do |client|
    nil until client.gets.to_s.strip.empty?
    text = "ruby says #{ENV['GREETING']}"
    client.write "HTTP/1.1 200 OK\r\ncontent-length: #{text.bytesize}\r\nconnection: close\r\n\r\n#{text}"
  ensure
    client.close
  end
end
